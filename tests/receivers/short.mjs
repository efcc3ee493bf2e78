
// Prints for each case of the vectors whether `verify` takes it.
import { readFileSync } from "node:fs";

for (const { headers, body, secrets, now } of JSON.parse(readFileSync(process.argv[2], "utf8")).cases) {
  console.log(secrets.some((secret) => verify(headers["Service-Signature"], Buffer.from(body), secret, now)));
}
