// Command columns prints the columns of the tables in data as JSON, for tools/data.py.
package main

import (
	"encoding/json"
	"log"
	"os"

	"jsqlab/jsqlib/record"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(record.Fields()); err != nil {
		log.Fatal(err)
	}
}
