// Looks at the pages of public links in a real browser, as somebody without an account: in light and dark, wide and
// narrow, with axe-core beside them; with the script, by keyboard, and without script. Prints what was found as JSON.
//
// node link_look.mjs BROWSER FOLDER TALK PASSPHRASE PAGE… — TALK is the page of a video with a transcript that takes
// comments, PASSPHRASE one that asks for `open sesame`; pictures of all pages are written into FOLDER.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [browserPath, folder, talk, locked, ...others] = process.argv.slice(2);
const origin = new URL(talk).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const found = { violations: [], elsewhere: [], errors: [], pages: 0 };

// How long the browser is given for what must come, while others keep the machine busy.
const timeout = 120_000;
const browser = await chromium.launch({
  executablePath: browserPath,
  timeout,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--autoplay-policy=no-user-gesture-required"],
});

const context = async (options) => {
  const made = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  made.setDefaultTimeout(timeout);
  made.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) found.elsewhere.push(url);
  });
  return made;
};

const open = async (looks) => {
  const page = await looks.newPage();
  // A page that is a refusal is one that the browser calls an error.
  page.on("console", (message) => {
    if (message.type() === "error" && message.location().url !== page.url()) found.errors.push(message.text() + " " + message.location().url);
  });
  page.on("pageerror", (error) => found.errors.push(String(error)));
  return page;
};

const look = async (page, name, where) => {
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
  for (const { id, nodes } of violations) found.violations.push({ name, ...where, id, html: nodes[0].html.slice(0, 200) });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (overflow > 0) found.violations.push({ name, ...where, id: "scrolls sideways", html: String(overflow) });
  const path = join(folder, `${name}-${where.colorScheme}-${where.width}.png`);
  await page.screenshot({ path, fullPage: (await page.evaluate(() => document.body.scrollHeight)) < 6_000 });
  found.pages += 1;
};

for (const width of [1280, 390]) {
  const looks = await context({ viewport: { width, height: 900 } });
  for (const [number, url] of [talk, locked, ...others].entries()) {
    const page = await open(looks);
    await page.goto(url);
    // A script's tag is refused by the page's policy; what the debugger evaluates is not.
    await page.evaluate(axe);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await look(page, `page${number}`, { colorScheme, width });
    }
    await page.close();
  }
  await looks.close();
}

// With the script: a time of the transcript is sought where the page is, and what is said is followed.
const second = (page) => page.evaluate(() => document.querySelector("#media").currentTime);
const until = async (page, what) => page.waitForFunction(what, undefined, { timeout });
const followed = await context({});
const page = await open(followed);
const parts = [];
page.on("response", (answer) => {
  if (answer.url().endsWith("/media")) parts.push([answer.status(), answer.request().headers().range ?? ""]);
});
await page.goto(talk);
found.at_once = await page.evaluate(() => new Promise((resolve) => {
  const media = document.querySelector("#media");
  media.addEventListener("playing", () => resolve("plays"));
  media.addEventListener("error", () => resolve("error " + media.error.message));
  media.play();
}));
// It plays so slowly that what is looked for is still shown at that moment.
await page.evaluate(() => (document.querySelector("#media").playbackRate = 0.1));
const stretches = page.locator("#stretches li");
await stretches.nth(1).getByRole("link").focus();
await page.keyboard.press("Enter");
await until(page, () => document.querySelector("#stretches li:nth-child(2).now[aria-current=true]"));
found.sought = Math.round((await second(page)) * 10) >= 20 && page.url() === talk;
found.playhead = await page.locator("#playhead").evaluate((head) => !head.hidden && parseFloat(head.style.left) > 0);
const lanes = await page.locator("#lanes img").boundingBox();
await page.mouse.click(lanes.x + lanes.width * 0.9, lanes.y + lanes.height / 2);
await until(page, () => document.querySelector("#media").currentTime > 4);
await page.locator("#lanes").focus();
await page.keyboard.press("ArrowLeft");
await until(page, () => document.querySelector("#media").currentTime < 3);
found.waveform = true;
found.ranges = parts.length > 0 && parts.every(([status, range]) => status === 206 && range.startsWith("bytes="));
found.captions = await page.evaluate(() => {
  const { track } = document.querySelector("track");
  track.mode = "showing";
  return track.language;
});
await until(page, () => document.querySelector("track").readyState === 2);
found.cues = await page.evaluate(() => document.querySelector("track").track.cues.length);
await page.getByRole("textbox", { name: "Comment" }).focus();
found.moment = /^0:0\d$/.test(await page.getByRole("textbox", { name: /^At/ }).inputValue());
await followed.close();

// Without: it plays by itself at a time of the transcript, comments are sent, a passphrase opens the page.
const plain = await context({ javaScriptEnabled: false });
const still = await plain.newPage();
await still.goto(talk);
await still.locator("#stretches li").nth(1).getByRole("link").click();
await still.waitForURL(/\?t=/);
found.without_script = await still.locator("#media").getAttribute("src").then((source) => /#t=2/.test(source));
await still.getByRole("textbox", { name: "Your name" }).fill("Zoë");
await still.getByRole("textbox", { name: "Comment" }).fill("Said <without> a script");
await still.getByRole("textbox", { name: /^At/ }).fill("0:02");
await still.getByRole("button", { name: "Send" }).click();
await still.locator(".comments .text", { hasText: "Said <without> a script" }).first().waitFor();
found.said = await still.locator(".comments .text", { hasText: "Said <without> a script" }).count();
await still.screenshot({ path: join(folder, "without-script.png"), fullPage: true });
await still.goto(locked);
await still.getByLabel("Passphrase").fill("wrong");
await still.getByRole("button", { name: "Open" }).click();
found.refused = await still.getByRole("alert").textContent();
await still.getByLabel("Passphrase").fill("open sesame");
await still.getByRole("button", { name: "Open" }).click();
await still.locator("#media").first().waitFor({ state: "attached" });
found.opened = await still.locator("#media").count();
await plain.close();

await browser.close();
console.log(JSON.stringify(found));
