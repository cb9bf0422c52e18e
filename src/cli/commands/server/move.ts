import { type Address, addressOf, type Config } from "../../../config.ts";
import { handleDomain, publicOrigin } from "../../../lib/settings/parsers.ts";
import { knowingServers } from "../../../core/server/knowing-servers.ts";
import { passkeyOwners } from "../../../core/sign-in/passkeys.ts";
import { changeAddress, fixedAddress } from "../../../core/server/server-address.ts";
import { copyTo, openMigrated } from "../../../db/migrate.ts";
import type { Db } from "../../../db/open.ts";
import { Refusal } from "../../../errors.ts";
import { counted } from "../../backup/progress.ts";
import { argument, command, option } from "../../command.ts";
import { configOfProcess, pathOf, refuseMissing } from "../../data-folder.ts";
import { lockFolder } from "../../server-lock.ts";

/** How many servers a refusal names. */
const NAMED = 5;

export const commands = {
  move: command({
    summary: "Gives the server another address, before any other server knows it",
    details: `Accounts, posts, media, links and mentions get the new address; texts as users typed them stay. Stop the server first. The
database is copied to linnet.db.before-move, and then changed in one transaction. Users sign in again at the new address, and passkeys
are for the old one. Once another server knows this one, its address can't change: move single accounts with
"linnet account move".`,
    args: { url: argument("the new address, like https://example.org", publicOrigin) },
    options: {
      "handle-domain": option(
        "DOMAIN",
        "the domain in handles (default: the host of URL, or the one that was chosen before)",
        handleDomain,
      ),
    },
    run: ({ url }, options) => move(url, options["handle-domain"] ?? null),
  }),
};

function move(origin: string, domain: string | null): void {
  const config = configOfProcess();
  refuseMissing(config);
  const lock = lockFolder(config.data);
  const db = openMigrated(pathOf(config), config.synchronous);
  try {
    const from = addressIn(db, config);
    const to = addressOf({ origin, handleDomain: domain ?? chosenDomain(config, from) }, config.port);
    moveDatabase(db, config, from, to);
    adviseOn(db, config, to);
  } finally {
    db.close();
    lock.release();
  }
}

function addressIn(db: Db, { data }: Config): Address {
  const fixed = fixedAddress(db, { asked: { origin: null, handleDomain: null } });
  if (fixed) return fixed;
  throw new Refusal(
    "conflict",
    `There are no accounts in ${data} yet, so its address isn't fixed: set LINNET_URL and start the server.`,
  );
}

/** A domain that was chosen apart from the URL stays. */
function chosenDomain({ asked }: Config, from: Address): string | null {
  if (asked.handleDomain !== null) return asked.handleDomain;
  return from.handleDomain === new URL(from.origin).host ? null : from.handleDomain;
}

function moveDatabase(db: Db, config: Config, from: Address, to: Address): void {
  if (to.origin === from.origin && to.handleDomain === from.handleDomain) {
    throw new Refusal("conflict", `The address is ${from.origin} (@${from.handleDomain}) already.`);
  }
  refuseKnown(db, config, from);
  const copy = `${pathOf(config)}.before-move`;
  copyTo(db, copy);
  console.log(`Copied the database to ${copy}.`);
  const changes = db.transaction((tx) => {
    // A command beside this one may have asked another server.
    refuseKnown(db, config, from);
    return changeAddress(tx, from, to);
  });
  // Free pages still contain the old address.
  db.alone("VACUUM");
  db.alone("PRAGMA wal_checkpoint(TRUNCATE)");
  console.log(
    `The server was ${from.origin} (@${from.handleDomain}) and is ${to.origin} (@${to.handleDomain}) now: ${counted(changes, "value")} changed.`,
  );
}

/** @throws Refusal if another server may know this one */
function refuseKnown(db: Db, config: Config, { origin }: Address): void {
  const hosts = knowingServers(db, origin, config);
  if (hosts.length === 0) return;
  const named = [...hosts.slice(0, NAMED), ...(hosts.length > NAMED ? ["…"] : [])].join(", ");
  throw new Refusal(
    "conflict",
    `${counted(hosts.length, "server")} may know ${origin}: ${named}. They would lose its accounts and posts, so the address stays. Start a server with an empty LINNET_DATA at the new address, and move the accounts there with "linnet account move".`,
  );
}

/** Settings in the environment have to follow, and passkeys can't. */
function adviseOn(db: Db, { asked }: Config, to: Address): void {
  const name = (setting: string, value: string | null, wanted: string) => {
    if (value !== null && value !== wanted) console.log(`Set ${setting}=${wanted}, or remove the setting.`);
  };
  name("LINNET_URL", asked.origin, to.origin);
  name("LINNET_HANDLE_DOMAIN", asked.handleDomain, to.handleDomain);
  const owners = passkeyOwners(db).map((owner) => `@${owner}`);
  if (owners.length === 0) return;
  console.log(
    `Passkeys are for the old address. ${owners.join(", ")} can sign in with other codes, or after "linnet user remove-second-factors NAME".`,
  );
}
