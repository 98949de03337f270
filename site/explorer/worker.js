// The explorer's worker: runs jsqlib. First message: {module}, the compiled explorer.wasm; then {id, path: request}, {id, distance: request} and {stop: true}.
// Posts {ready}, {id, progress}, {id, answer} and {ended: why}. Requests and answers are JSON texts.
importScripts("wasm_exec.js");

addEventListener("message", async ({ data }) => {
  if (data.module) {
    globalThis.jsqlabReady = () => postMessage({ ready: true });
    const go = new Go();
    try {
      await go.run(await WebAssembly.instantiate(data.module, go.importObject)); // it never returns unless it fails
      postMessage({ ended: "perhaps for want of memory" });
    } catch (e) {
      postMessage({ ended: e.message });
    }
  } else if (data.stop) {
    globalThis.jsqlab?.stop(); // not there yet while the program is loaded
  } else if (data.path) {
    postMessage({ id: data.id, answer: jsqlab.path(data.path) });
  } else if (data.distance) {
    const answer = await jsqlab.distance(data.distance, (progress) => postMessage({ id: data.id, progress }));
    postMessage({ id: data.id, answer });
  }
});
