import type { Context } from "../context.ts";
import { removeSlice } from "../core/people/account-deletion.ts";
import { continueMove } from "../core/people/moves.ts";
import { resendFollow } from "../core/people/sent-follows.ts";
import { publishAnnouncement } from "../core/server/announcements.ts";
import { verifyLinks } from "../core/discovery/verified-links.ts";
import { fetchCard } from "../core/discovery/cards.ts";
import { fillHome, rebuildHome } from "../core/timelines/home-backfill.ts";
import { removeFiles } from "../core/media/stored-files.ts";
import { mergeNotifications } from "../core/notifications/requests.ts";
import { processMedia } from "../core/media/process.ts";
import { closePoll } from "../core/statuses/polls.ts";
import { sendNotice } from "../core/moderation/moderation-notices.ts";
import { publishScheduled } from "../core/statuses/scheduled.ts";
import type { Tx } from "../db/open.ts";
import type { JobKind, JobPayloads } from "../db/queue.ts";
import { refreshKnown } from "../federation/fetching/actors.ts";
import { sendFarewell } from "../federation/delivery/farewell.ts";
import { fanOut } from "../federation/delivery/fan-out.ts";
import { fetchFollowers } from "../federation/fetching/followers.ts";
import { catchUp, fetchProfile } from "../federation/fetching/profiles.ts";
import { recheckStatus } from "../federation/fetching/recheck.ts";
import { fetchRelayed } from "../federation/fetching/relayed.ts";
import { fetchThread } from "../federation/fetching/threads.ts";
import { prepareDeliveries } from "../federation/delivery/prepare.ts";
import { sendWaiting } from "../federation/delivery/send.ts";
import { refreshSoftware } from "../federation/peers/software.ts";
import { processIncoming } from "../federation/inbox/incoming.ts";
import { importUploaded } from "./archive-imports.ts";
import { cleanUp } from "./recurring/clean-up.ts";
import { importSlice } from "./csv-imports.ts";
import { sendMail } from "./mail.ts";
import { trimCache } from "./recurring/media-cache.ts";
import { sweepMedia } from "./recurring/orphaned-files.ts";
import { deleteOld } from "./recurring/old-posts.ts";
import { pruneRemote } from "./recurring/prune.ts";
import { purgeHost } from "./purge.ts";
import { verifyLinksAgain } from "./recurring/profile-links.ts";
import { deliverPush } from "./push.ts";
import { noteRunningAgain } from "./recurring/running.ts";
import { refreshAllSoftware } from "./recurring/software.ts";
import { refreshTrends } from "./recurring/trends.ts";

/** Runs in the transaction that deletes the job's row, right after the deletion: the job's key is free again. */
export type AfterJob = (tx: Tx) => void;
export type JobResult = AfterJob | void;

/** The work of each kind of job. A handler may run twice for one job, so it must be idempotent. */
export type Handlers = {
  [Kind in JobKind]: (ctx: Context, payload: JobPayloads[Kind]) => JobResult | Promise<JobResult>;
};

export const handlers: Handlers = {
  "account.refresh": (ctx, { accountId }) => refreshKnown(ctx, accountId),
  "account.move": (ctx, part) => continueMove(ctx, part),
  "account.remove": (ctx, { accountId }) => removeSlice(ctx, accountId),
  "profile.fetch": (ctx, { accountId }) => fetchProfile(ctx, accountId),
  "profile.catch_up": (ctx, { accountId, since }) => catchUp(ctx, accountId, since),
  "server.running": (ctx) => noteRunningAgain(ctx),
  "followers.compare": (ctx, payload) => fetchFollowers(ctx, payload),
  "thread.fetch": (ctx, { statusId }) => fetchThread(ctx, statusId),
  "status.recheck": (ctx, { statusId }) => recheckStatus(ctx, statusId),
  "relay.fetch": (ctx, { relayId, uri }) => fetchRelayed(ctx, relayId, uri),
  "announcement.tell": (ctx, { id, version }) => publishAnnouncement(ctx, id, version),
  "card.fetch": (ctx, { linkId }) => fetchCard(ctx, linkId),
  "links.verify": (ctx, { accountId }) => verifyLinks(ctx, accountId),
  "links.verify_daily": (ctx) => verifyLinksAgain(ctx),
  clean_up: (ctx) => cleanUp(ctx),
  "delivery.prepare": (ctx, { event, others = [] }) => prepareDeliveries(ctx, [event, ...others]),
  "delivery.fan_out": (ctx) => fanOut(ctx),
  "delivery.send": (ctx, { inbox }) => sendWaiting(ctx, inbox),
  "delivery.farewell": (ctx, farewell) => sendFarewell(ctx, farewell),
  "incoming.process": (ctx) => processIncoming(ctx),
  "home.fill": (ctx, { accountId, ...from }) => fillHome(ctx, accountId, from),
  "home.rebuild": (ctx, { accountId }) => rebuildHome(ctx, accountId),
  "poll.close": (ctx, { pollId }) => closePoll(ctx, pollId),
  "status.publish": (ctx, { scheduledId }) => publishScheduled(ctx, scheduledId),
  "cache.evict": (ctx) => trimCache(ctx),
  "media.delete_files": (ctx, { files }) => removeFiles(ctx, files),
  "media.process": (ctx, { id }) => processMedia(ctx, id),
  "media.sweep": (ctx, { after }) => sweepMedia(ctx, after),
  "posts.delete_old": (ctx, part) => deleteOld(ctx, part),
  "remote.prune": (ctx, from) => pruneRemote(ctx, from),
  "host.purge": (ctx, from) => purgeHost(ctx, from),
  "mail.send": (ctx, mail) => sendMail(ctx, mail),
  "push.deliver": (ctx, payload) => deliverPush(ctx, payload),
  "notifications.merge": (ctx, { accountId, fromId }) => mergeNotifications(ctx, accountId, fromId),
  "moderation.tell": (ctx, { type, aboutId }) => sendNotice(ctx, type, aboutId),
  "import.archive": (ctx, { importId, ...choices }) => importUploaded(ctx, importId, choices),
  "import.csv": (ctx, { importId }) => importSlice(ctx, importId),
  "follow.resend": (ctx, { uri }) => resendFollow(ctx, uri),
  "software.fetch": (ctx, { host }) => refreshSoftware(ctx, host),
  "software.refresh": (ctx) => refreshAllSoftware(ctx),
  "trends.rank": (ctx) => refreshTrends(ctx),
};
