// Prints for each case of the vectors whether verify, which stands in another file of the package, takes it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var vectors struct {
		Cases []struct {
			Body    string
			Headers map[string]string
			Secrets []string
			Now     int64
		}
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &vectors)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, test := range vectors.Cases {
		taken := false
		for _, secret := range test.Secrets {
			taken = verify(test.Headers["Service-Signature"], []byte(test.Body), secret, test.Now) || taken
		}
		fmt.Println(taken)
	}
}
