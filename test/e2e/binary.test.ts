import { Database } from "bun:sqlite";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { tone } from "../fixtures/clips.ts";
import { ENDLESS } from "../fixtures/hostile-clips.ts";
import { Authenticator } from "../support/authenticator.ts";
import { binary } from "../support/binary.ts";
import { Client } from "../support/client.ts";
import {
  childrenOf,
  createPerson,
  Nowhere,
  run,
  Running,
  type Command,
  type Surroundings,
} from "../support/program.ts";
import { PushService } from "../support/push-service.ts";
import { Socket } from "../support/streams.ts";
import { pictureFile, upload } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

/** Starting a process takes a while on a small machine, and building the executable takes longer. */
const TIMEOUT = 30_000;
const BUILD_TIMEOUT = 180_000;

let command: Command;
beforeAll(async () => {
  command = await binary();
}, BUILD_TIMEOUT);

let nowhere: Nowhere;
const servers: Running[] = [];
beforeEach(() => {
  nowhere = new Nowhere();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop("SIGKILL");
  nowhere.remove();
});

async function start(surroundings: Surroundings = nowhere): Promise<Running> {
  const server = await Running.start(command, surroundings);
  servers.push(server);
  return server;
}

describe("The executable", () => {
  test(
    "serves from an empty folder, without settings or other files on the machine",
    async () => {
      const { origin } = await start();
      const stranger = new Client(origin, null);
      expect((await stranger.get("/health")).json).toBe("OK");
      const { status, json } = await stranger.get("/api/v2/instance");
      expect(status).toBe(200);
      expect(json.domain).toBe(`localhost:${new URL(origin).port}`);
      expect(readdirSync(nowhere.cwd)).toEqual(["linnet-data"]);
      expect(readdirSync(nowhere.home)).toEqual([]);
    },
    TIMEOUT,
  );

  test(
    "creates a user and a token, and finds them from another working directory",
    async () => {
      const made = await run(command, ["user", "create", "ada"], nowhere);
      expect([made.code, made.stderr]).toEqual([0, ""]);
      expect(made.stdout.trimEnd().split("\n").at(-1)).toMatch(/^\S{12,}$/);
      const given = await run(command, ["token", "create", "ada", "--scopes", "read"], nowhere);
      expect([given.code, given.stderr]).toEqual([0, ""]);
      expect(given.stdout).toMatch(/^\S{32,}\n$/);

      const elsewhere = join(nowhere.cwd, "elsewhere");
      mkdirSync(elsewhere);
      const env = { ...nowhere.env, LINNET_DATA: join(nowhere.cwd, "linnet-data") };
      const { origin } = await start({ cwd: elsewhere, env });
      const { json } = await new Client(origin, given.stdout.trim()).get("/api/v1/accounts/verify_credentials");
      expect(json.username).toBe("ada");
      expect(readdirSync(elsewhere)).toEqual([]);

      // Commands also work while the server runs.
      await createPerson(command, { cwd: elsewhere, env }, "grace");
      const found = await new Client(origin, null).get("/api/v1/accounts/lookup?acct=grace");
      expect(found.json.username).toBe("grace");
    },
    TIMEOUT,
  );

  test(
    "checks passkeys and one-time codes",
    async () => {
      // Browsers allow no passkeys at an IP address. All requests go to the server itself, like those of a proxy.
      const address = "https://social.example";
      const surroundings = { ...nowhere, env: { ...nowhere.env, LINNET_URL: address } };
      const typed = { ...surroundings, stdin: "correct horse" };
      const made = await run(command, ["user", "create", "ada", "--password-stdin"], typed);
      expect(made.code).toBe(0);
      const visitor = new Visitor(await start(surroundings));
      await visitor.signIn("ada");
      const { html } = await visitor.get("/settings/security");
      const options = JSON.parse(/data-passkey="([^"]*)"/.exec(html)![1]!.replaceAll("&quot;", '"'));
      const passkey = new Authenticator(address).create(options);
      const { fields } = visitor.formTo("/settings/security/passkeys");
      expect((await visitor.post("/settings/security/passkeys", { ...fields, passkey })).text).toContain("was added");
      await visitor.get("/settings/security/codes");
      expect((await visitor.press("Turn codes on", { code: "000000" })).text).toContain("This is not the code");
    },
    TIMEOUT,
  );

  test(
    "stores an image with preview and blurhash, and streams the post with it",
    async () => {
      const token = await createPerson(command, nowhere, "ada");
      const { origin } = await start();
      const ada = new Client(origin, token);
      const socket = await Socket.open(ada, "?stream=user");
      const media = await upload(ada, await pictureFile("png", { width: 900, height: 600 }));
      expect(media.status).toBe(200);
      expect(media.json.blurhash).toMatch(/^\S{20,}$/);
      const preview = await fetch(origin + new URL(media.json.preview_url).pathname);
      expect(preview.status).toBe(200);
      expect(preview.headers.get("content-type")).toStartWith("image/");
      expect((await preview.bytes()).length).toBeGreaterThan(100);

      const status = await ada.publish({ status: "Look!", media_ids: [media.json.id] });
      const event = await socket.next();
      expect(event.event).toBe("update");
      expect(event.payload.id).toBe(status.id);
      expect(event.payload.media_attachments[0].blurhash).toBe(media.json.blurhash);
      await socket.close();
    },
    TIMEOUT,
  );

  test(
    "responds while it reads an endless clip, and leaves no process behind when it is killed",
    async () => {
      const [mallory, ada] = [
        await createPerson(command, nowhere, "mallory"),
        await createPerson(command, nowhere, "ada"),
      ];
      const server = await start();
      const hostile = new File([new Uint8Array(ENDLESS["a FLAC of 42 bytes without a frame"]!)], "clip");
      const endless = upload(new Client(server.origin, mallory), hostile).catch(() => null);
      while (childrenOf(server.pid).length === 0) await Bun.sleep(1);
      const readers = childrenOf(server.pid);
      const { status, json } = await upload(new Client(server.origin, ada), new File([tone()], "tone.wav"));
      expect([status, json.type]).toEqual([202, "audio"]);
      expect((await new Client(server.origin, null).get("/health")).status).toBe(200);
      await server.stop("SIGKILL");
      await endless;
      while (readers.some((pid) => existsSync(`/proc/${pid}`))) await Bun.sleep(1);
    },
    TIMEOUT,
  );

  test(
    "sends an encrypted push message",
    async () => {
      const service = new PushService("127.0.0.1");
      const phone = service.device();
      const env = { ...nowhere.env, LINNET_ALLOW_PRIVATE_ADDRESSES: "on" };
      const [ada, grace] = [await createPerson(command, nowhere, "ada"), await createPerson(command, nowhere, "grace")];
      const { origin } = await start({ ...nowhere, env });
      const subscribed = await new Client(origin, ada).post("/api/v1/push/subscription", {
        subscription: { ...phone.subscription(), standard: true },
        data: { alerts: { mention: true } },
      });
      expect(subscribed.status).toBe(200);
      await new Client(origin, grace).publish("@ada Look!");
      await phone.woken.promise;
      expect(phone.messages).toMatchObject([{ access_token: ada, title: "grace mentioned you", body: "@ada Look!" }]);
      await service.stop();
    },
    TIMEOUT,
  );

  test(
    "exits on SIGTERM, and leaves an intact database in a single file",
    async () => {
      const token = await createPerson(command, nowhere, "ada");
      const server = await start();
      await new Client(server.origin, token).publish("The last word");
      expect(await server.stop("SIGTERM")).toBe(0);
      const path = join(nowhere.cwd, "linnet-data", "linnet.db");
      expect(existsSync(`${path}-wal`)).toBe(false);
      const db = new Database(path, { readonly: true });
      expect(db.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      expect(db.query("SELECT text FROM statuses").all()).toEqual([{ text: "The last word" }]);
      db.close();
    },
    TIMEOUT,
  );

  test(
    "refuses the folder of another running server, and takes over after that server was killed",
    async () => {
      const first = await start();
      const second = await run(command, ["serve"], nowhere);
      expect([second.code, second.stdout]).toEqual([1, ""]);
      expect(second.stderr).toMatch(/^linnet: Another Linnet is running on .*\n$/);
      expect((await new Client(first.origin, null).get("/health")).status).toBe(200);
      await first.stop("SIGKILL");
      const third = await start();
      expect((await new Client(third.origin, null).get("/health")).status).toBe(200);
    },
    TIMEOUT,
  );
});

describe("The executable's command line", () => {
  test(
    "prints help without creating a data folder",
    async () => {
      for (const args of [["--help"], ["serve", "--help"], ["user", "create", "--help"], ["token", "--help"]]) {
        const { code, stdout, stderr } = await run(command, args, nowhere);
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
        expect(stdout).toContain("Usage: linnet");
      }
      expect(await run(command, ["version"], nowhere)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
      expect(readdirSync(nowhere.cwd)).toEqual([]);
    },
    TIMEOUT,
  );

  test.each([
    ["LINNET_PORT", "eighty"],
    ["LINNET_URL", "example.org"],
    ["LINNET_SQLITE_SYNCHRONOUS", "off"],
    ["LINNET_PROT", "3000"],
  ])(
    "refuses %s=%s in one line that names the setting",
    async (name, value) => {
      const env = { ...nowhere.env, [name]: value };
      const { code, stdout, stderr } = await run(command, ["serve"], { ...nowhere, env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(new RegExp(`^linnet: .*\\b${name}\\b.*\\n$`));
    },
    TIMEOUT,
  );

  test(
    "reads settings from a file called .env",
    async () => {
      await Bun.write(join(nowhere.cwd, ".env"), "LINNET_TITLE=Nest\n");
      const { origin } = await start();
      expect((await new Client(origin, null).get("/api/v2/instance")).json.title).toBe("Nest");
    },
    TIMEOUT,
  );
});
