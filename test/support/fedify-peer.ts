import { afterEach } from "bun:test";
import type { Context } from "@fedify/fedify";
import {
  type Activity,
  Announce,
  Block,
  Collection,
  Create,
  Delete,
  Document,
  Follow,
  Image,
  isActor,
  Like,
  Mention,
  Note,
  type Object as ApObject,
  PUBLIC_COLLECTION,
  Question,
  type Recipient,
  Reject,
  Tombstone,
  Undo,
  Update,
} from "@fedify/vocab";
import { type Account, newKeys, PeerHost, type PeerSettings, type Received } from "./peer-host.ts";
import { type Exchange, observed } from "./peer-network.ts";

export type { PeerSettings, Received } from "./peer-host.ts";

interface Attachment {
  url: string;
  mediaType: string;
  alt?: string;
}

interface Poll {
  options: string[];
  multiple?: boolean;
  /** In milliseconds from now. */
  closesIn?: number;
}

export interface NewPost {
  /** `unlisted` is public, but not meant for public timelines. A list has the URIs of accounts. */
  to: "public" | "unlisted" | "followers" | string[];
  /** HTML. */
  content: string;
  inReplyTo?: string;
  /** The URIs of accounts, which receive the post, too. */
  mentions?: string[];
  attachments?: Attachment[];
  poll?: Poll;
  /** Further properties of Fedify's Note or Question, such as tags or a summary. */
  more?: ConstructorParameters<typeof Note>[0];
}

/** An activity that was sent, with the requests that delivered it. */
export class Sent {
  constructor(
    readonly activity: Activity,
    readonly recipients: readonly Recipient[],
    /** In order. A request that is refused is repeated with the other form of signature. */
    readonly deliveries: readonly Exchange[],
  ) {}

  get id(): string {
    return this.activity.id!.href;
  }

  /** The status of the last response; null if there was none. */
  get status(): number | null {
    return this.deliveries.at(-1)?.status ?? null;
  }
}

export class Post extends Sent {
  constructor(
    sent: Sent,
    /** As first published, or as edited. */
    readonly object: Note | Question,
    readonly written: NewPost,
  ) {
    super(sent.activity, sent.recipients, sent.deliveries);
  }

  get uri(): string {
    return this.object.id!.href;
  }
}

/** An account on a peer. Its methods send activities, and return when all deliveries were answered. */
export class PeerActor {
  constructor(
    protected readonly host: PeerHost,
    protected readonly account: Account,
  ) {}

  /** As in Mastodon's `acct`, without a leading @. */
  get handle(): string {
    return `${this.account.name}@${this.host.domain}`;
  }

  get uri(): string {
    return this.id.href;
  }

  /** The URIs of the accounts that follow this one. */
  get followers(): string[] {
    return [...this.account.followers.keys()];
  }

  /** The URIs of the accounts that accepted a Follow. */
  get following(): string[] {
    return [...this.account.following];
  }

  async follow(uri: string): Promise<Sent> {
    const id = this.host.newUri("follows");
    this.host.follows.set(id.href, { by: this.account, target: uri });
    return this.send(new Follow({ id, actor: this.id, object: new URL(uri), to: new URL(uri) }), [uri]);
  }

  async accept({ activity }: Received): Promise<Sent> {
    if (!(activity instanceof Follow)) throw new Error("only a Follow can be accepted");
    this.host.tick();
    const { activity: accept, to, sent } = await this.host.acceptFollow(this.account, activity);
    return new Sent(accept, to, sent);
  }

  /** Rejects a Follow, or removes the follower later. */
  async reject({ activity, actor }: Received): Promise<Sent> {
    this.account.followers.delete(actor!);
    const reject = new Reject({ ...this.begin("rejects"), object: activity, to: new URL(actor!) });
    return this.send(reject, [actor!]);
  }

  async block(uri: string): Promise<Sent> {
    this.account.followers.delete(uri);
    return this.send(new Block({ ...this.begin("blocks"), object: new URL(uri) }), [uri]);
  }

  async like(uri: string): Promise<Sent> {
    const author = await this.authorOf(uri);
    return this.send(new Like({ ...this.begin("likes"), object: new URL(uri), to: new URL(author) }), [author]);
  }

  async boost(uri: string): Promise<Sent> {
    const author = await this.authorOf(uri);
    const announce = new Announce({
      ...this.begin("announces"),
      object: new URL(uri),
      published: this.now(),
      to: PUBLIC_COLLECTION,
      ccs: [this.ctx.getFollowersUri(this.account.name), new URL(author)],
    });
    this.account.outbox.push(announce);
    return this.sendTo(announce, [...(await this.recipients([author])), ...this.account.followers.values()], true);
  }

  /** Reverts a follow, like, boost or block, for everyone who received it. */
  async undo(sent: Sent): Promise<Sent> {
    const { account } = this;
    account.following.delete(sent.activity.objectId?.href ?? "");
    account.outbox = account.outbox.filter((each) => each !== sent.activity);
    const undo = new Undo({ ...this.begin("undos"), object: sent.activity, tos: sent.activity.toIds });
    return this.sendTo(undo, sent.recipients);
  }

  /** Votes for one option, by its text. */
  async vote(question: string, option: string): Promise<Sent> {
    const author = await this.authorOf(question);
    const to = new URL(author);
    const vote = new Note({
      id: this.host.newUri("votes"),
      attribution: this.id,
      name: option,
      replyTarget: new URL(question),
      to,
    });
    return this.send(new Create({ ...this.begin("creates"), object: vote, to }), [author]);
  }

  async post(written: NewPost): Promise<Post> {
    const { host, account } = this;
    host.tick();
    const { tos, ccs } = this.audience(written);
    const named = await this.recipients([
      ...(Array.isArray(written.to) ? written.to : []),
      ...(written.mentions ?? []),
    ]);
    const recipients = Array.isArray(written.to) ? named : [...named, ...account.followers.values()];
    const id = host.newUri(written.poll ? "questions" : "notes");
    const object = await this.compose(written, { id, published: this.now(), tos, ccs });
    const isPublic = written.to === "public" || written.to === "unlisted";
    host.objects.set(id.href, { object, isPublic, readers: recipients });
    if (written.poll) {
      const votes = new Map(written.poll.options.map((option) => [option, 0]));
      host.tallies.set(id.href, { votes, voters: new Map() });
    }
    const create = new Create({ ...this.begin("creates"), object, published: object.published, tos, ccs });
    if (isPublic) account.outbox.push(create);
    return new Post(await this.sendTo(create, recipients, !Array.isArray(written.to)), object, written);
  }

  /** Changes a post for everyone who received it. */
  async edit(post: Post, changes: Partial<Pick<NewPost, "content" | "attachments" | "poll" | "more">>): Promise<Post> {
    this.host.tick();
    const written = { ...post.written, ...changes };
    const { id, published, toIds: tos, ccIds: ccs } = post.object;
    const object = await this.compose(written, { id, published, tos, ccs, updated: this.now() });
    return this.update(post, object, written);
  }

  /** Sends the current results of a poll to everyone who received it and to its voters; with `closed`, ends it. */
  async publishResults(post: Post, { closed = false } = {}): Promise<Post> {
    this.host.tick();
    if (!(post.object instanceof Question)) throw new Error("the post has no poll");
    const { votes, voters } = this.host.tallies.get(post.uri)!;
    const options = [...votes].map(([name, count]) => optionOf(name, count));
    const object = post.object.clone({
      ...(post.written.poll?.multiple ? { inclusiveOptions: options } : { exclusiveOptions: options }),
      voters: voters.size,
      closed: closed ? this.now() : null,
    });
    return this.update(post, object, post.written, [...voters.values()]);
  }

  async delete(post: Post): Promise<Sent> {
    const id = new URL(post.uri);
    this.host.objects.set(post.uri, new Tombstone({ id }));
    this.account.outbox = this.account.outbox.filter((each) => each.objectId?.href !== post.uri);
    const gone = new Delete({ ...this.begin("deletes"), object: new Tombstone({ id }), to: PUBLIC_COLLECTION });
    return this.sendTo(gone, post.recipients);
  }

  async updateProfile(changes: Partial<Pick<Account, "displayName" | "summary" | "locked" | "more">>): Promise<Sent> {
    Object.assign(this.account, changes);
    const object = await this.host.actor(this.ctx, this.account.name);
    const update = new Update({ ...this.begin("updates"), object, to: PUBLIC_COLLECTION });
    return this.sendTo(update, [...this.account.followers.values()], true);
  }

  /** Afterwards the profile is a tombstone with status 410. */
  async deleteAccount(): Promise<Sent> {
    const { account } = this;
    const gone = new Delete({ ...this.begin("deletes"), object: this.id, to: PUBLIC_COLLECTION });
    const recipients = [...account.followers.values(), ...(await this.recipients(this.following))];
    const sent = await this.sendTo(gone, recipients, true);
    account.isGone = true;
    return sent;
  }

  /** Replaces the key under the same id, without telling anyone. */
  async rotateKey(): Promise<void> {
    this.account.keys = await newKeys();
  }

  /** Sends any activity to the accounts: a forged one, or one that they received before. */
  async send(activity: Activity, uris: readonly string[], { shared = false } = {}): Promise<Sent> {
    return this.sendTo(activity, await this.recipients(uris), shared);
  }

  /** Finds an account by its handle or anything by its URI, as Fedify does; null if it refuses what it finds. */
  async lookup(handleOrUri: string, { signed = false } = {}): Promise<ApObject | null> {
    this.host.tick();
    const { result } = await observed(async () => {
      const documentLoader = signed ? await this.signedLoader() : this.ctx.documentLoader;
      return this.ctx.lookupObject(handleOrUri, { documentLoader });
    });
    return result;
  }

  /** A GET signed by this account. The document is null unless the status is 2xx. */
  async fetchSigned(url: string): Promise<{ status: number | null; document: unknown }> {
    this.host.tick();
    const { result, sent } = await observed(async () => {
      const load = await this.signedLoader();
      return load(url).then(
        ({ document }) => document,
        (error: Error) => {
          if (error.name === "FetchError") return null;
          throw error;
        },
      );
    });
    return { status: sent.at(-1)?.status ?? null, document: result };
  }

  private get ctx(): Context<void> {
    return this.host.ctx;
  }

  private get id(): URL {
    return this.ctx.getActorUri(this.account.name);
  }

  private now(): Temporal.Instant {
    return Temporal.Instant.fromEpochMilliseconds(Date.now());
  }

  private begin(kind: string) {
    return { id: this.host.newUri(kind), actor: this.id };
  }

  private signedLoader() {
    return this.ctx.getDocumentLoader({ identifier: this.account.name });
  }

  private recipients(uris: readonly string[]): Promise<Recipient[]> {
    this.host.tick();
    return Promise.all(uris.map((uri) => this.host.recipient(uri)));
  }

  private async sendTo(activity: Activity, recipients: readonly Recipient[], shared = false): Promise<Sent> {
    this.host.tick();
    const unique = [...new Map(recipients.map((each) => [each.id!.href, each])).values()];
    return new Sent(activity, unique, await this.host.deliver(this.account, unique, activity, shared));
  }

  private async authorOf(uri: string): Promise<string> {
    const author = (await this.lookup(uri, { signed: true }))?.attributionId;
    if (!author) throw new Error(`${uri} can't be read`);
    return author.href;
  }

  private audience({ to, mentions = [] }: NewPost): { tos: URL[]; ccs: URL[] } {
    const followers = this.ctx.getFollowersUri(this.account.name);
    const mentioned = mentions.map((uri) => new URL(uri));
    if (to === "public") return { tos: [PUBLIC_COLLECTION], ccs: [followers, ...mentioned] };
    if (to === "unlisted") return { tos: [followers], ccs: [PUBLIC_COLLECTION, ...mentioned] };
    if (to === "followers") return { tos: [followers], ccs: mentioned };
    return { tos: [...new Set([...to, ...mentions])].map((uri) => new URL(uri)), ccs: [] };
  }

  private async compose(written: NewPost, head: ConstructorParameters<typeof Note>[0]): Promise<Note | Question> {
    const { content, inReplyTo, mentions = [], attachments = [], poll, more } = written;
    const values = {
      attribution: this.id,
      content,
      replyTarget: inReplyTo === undefined ? null : new URL(inReplyTo),
      url: new URL(`/@${head.id!.pathname.slice(1)}`, this.host.origin),
      attachments: attachments.map((each) => attachmentOf(each)),
      ...head,
      ...more,
      tags: [...(await Promise.all(mentions.map((uri) => this.mention(uri)))), ...(more?.tags ?? [])],
    };
    if (!poll) return new Note(values);
    const options = poll.options.map((name) => optionOf(name, 0));
    return new Question({
      ...values,
      ...(poll.multiple ? { inclusiveOptions: options } : { exclusiveOptions: options }),
      voters: 0,
      endTime: poll.closesIn === undefined ? null : this.now().add({ milliseconds: poll.closesIn }),
    });
  }

  private async mention(uri: string): Promise<Mention> {
    const actor = await this.lookup(uri);
    if (!isActor(actor)) throw new Error(`${uri} is no actor`);
    const href = new URL(uri);
    return new Mention({ href, name: `@${actor.preferredUsername}@${href.host}` });
  }

  private async update(post: Post, object: Note | Question, written: NewPost, others: Recipient[] = []): Promise<Post> {
    const stored = this.host.objects.get(post.uri)!;
    if (stored instanceof Tombstone) throw new Error("the post was deleted");
    this.host.objects.set(post.uri, { ...stored, object });
    const { tos, ccs } = { tos: object.toIds, ccs: object.ccIds };
    const update = new Update({ ...this.begin("updates"), object, updated: this.now(), tos, ccs });
    const shared = !Array.isArray(written.to);
    return new Post(await this.sendTo(update, [...post.recipients, ...others], shared), object, written);
  }
}

function optionOf(name: string, count: number): Note {
  return new Note({ name, replies: new Collection({ totalItems: count }) });
}

function attachmentOf({ url, mediaType, alt }: Attachment): Document | Image {
  const values = { url: new URL(url), mediaType, name: alt ?? null };
  return mediaType.startsWith("image/") ? new Image(values) : new Document(values);
}

/** The first account of a peer, and the peer itself. */
export class Peer extends PeerActor {
  get origin(): string {
    return this.host.origin;
  }

  /** Every activity that arrived with a valid signature, repeated ones included. */
  get received(): readonly Received[] {
    return this.host.received;
  }

  /** Deliveries refused by the peer's own checks, with the reasons. */
  get refused() {
    return this.host.refused;
  }

  /** The method and path of each request that arrived, such as `GET /actors/fern`. */
  get asked(): readonly string[] {
    return this.host.asked;
  }

  /** The owners of the keys that signed a GET, if the requested document needed a signature. */
  get readers(): readonly string[] {
    return this.host.readers;
  }

  /** How many connections were closed while the peer was down. */
  get refusedConnections(): number {
    return this.host.port.refused;
  }

  /** Another account of the same host, named in the settings. */
  actor(name: string): PeerActor {
    return new PeerActor(this.host, this.host.accounts.get(name)!);
  }

  actorUri(name: string): string {
    return this.host.ctx.getActorUri(name).href;
  }

  /** Publishes a file, such as a picture to attach, and returns its URL. */
  put(path: string, bytes: Uint8Array<ArrayBuffer>, type: string): string {
    this.host.files.set(path, { bytes, type });
    return this.origin + path;
  }

  /** Answers deliveries this way instead of reading them, until `answerNormally()`. */
  answerWith(status: number, headers: Record<string, string> = {}): void {
    this.host.answerInstead = { status, headers };
  }

  answerNormally(): void {
    this.host.answerInstead = null;
  }

  /** Closes every connection without a response, until `up()`. */
  down(): Promise<void> {
    return this.host.port.down();
  }

  up(): void {
    this.host.port.up();
  }

  stop(): Promise<void> {
    return this.host.stop();
  }
}

/**
 * Starts an independent server for federation tests: Fedify's implementation of ActivityPub, at `http://NAME.test` with a
 * free port. The actor has the same name.
 */
export async function startPeer(name: string, settings: PeerSettings = {}): Promise<Peer> {
  const host = new PeerHost(name, settings);
  const [first] = await Promise.all([name, ...(settings.actors ?? [])].map((each) => host.addAccount(each)));
  return new Peer(host, first!);
}

/** Returns a function that starts peers with these settings and its own. They stop after each test. */
export function peersForEachTest(shared: PeerSettings = {}): typeof startPeer {
  const running: Peer[] = [];
  afterEach(async () => {
    const stopped = await Promise.allSettled(running.splice(0).map((peer) => peer.stop()));
    for (const each of stopped) if (each.status === "rejected") throw each.reason;
  });
  return async (name, settings) => {
    const peer = await startPeer(name, { ...shared, ...settings });
    running.push(peer);
    return peer;
  };
}
