// Sends a file by tus-js-client to the URL of an upload, in one PATCH for as long as nothing breaks.
// Usage: node tus_upload.mjs PACKAGES URL FILE
import { createReadStream, statSync } from "node:fs";
import { createRequire } from "node:module";

const [packages, url, file] = process.argv.slice(2);
const tus = createRequire(`${packages}/package.json`)("tus-js-client");
let retries = 0;
const upload = new tus.Upload(createReadStream(file), {
  uploadUrl: url,
  uploadSize: statSync(file).size,
  // A stream has to be held in pieces, so that one that was cut off can be sent again.
  chunkSize: 2_000_000,
  retryDelays: [100, 200, 500, 1_000, 2_000, 5_000],
  onShouldRetry: () => (retries += 1) < 20,
  onError: (error) => {
    console.error(String(error));
    process.exit(1);
  },
  onSuccess: () => console.log(JSON.stringify({ retries })),
});
upload.start();
