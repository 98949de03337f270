// The explorer's worker: runs jsqlib. First message: {module}, the compiled explorer.wasm; then {id, path: request}, {id, distance: request} and {stop: true}.
// Posts {ready}, {id, progress}, {id, answer} and {ended}. Requests and answers are JSON texts.
importScripts("wasm_exec.js");

addEventListener("message", async ({ data }) => {
  if (data.module) {
    globalThis.jsqlabReady = () => postMessage({ ready: true });
    const go = new Go();
    await go.run(await WebAssembly.instantiate(data.module, go.importObject));
    postMessage({ ended: true }); // it never returns unless it fails
  } else if (data.stop) {
    jsqlab.stop();
  } else if (data.path) {
    postMessage({ id: data.id, answer: jsqlab.path(data.path) });
  } else if (data.distance) {
    const answer = await jsqlab.distance(data.distance, (progress) => postMessage({ id: data.id, progress }));
    postMessage({ id: data.id, answer });
  }
});
