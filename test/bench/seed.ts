/*
 * A database as after some years of use: the viewer follows twenty accounts, half of them remote, that post, reply,
 * boost, mention, favourite, quote, run polls and attach images.
 */
import { Database } from "bun:sqlite";
import { indexStatus } from "../../src/core/discovery/search-index.ts";
import { Db } from "../../src/db/open.ts";
import { idAt } from "../../src/lib/ids.ts";
import { renderText } from "../../src/lib/text/text.ts";
import { PLACEHOLDER, textGenerator } from "./words.ts";

const PEOPLE = 20;
const TAGS = 7;
const TEXTS = 60;
const NOTIFICATIONS = 5000;
const HOME_LENGTH = 800;
const MINUTE = 60_000;

interface Person {
  id: number;
  uri: string;
  local: boolean;
}

/** A post that many statuses share, except for the text that replaces `PLACEHOLDER`. */
interface Sample {
  text: string;
  content: string;
  /** Indices of an account and a tag. */
  mention: number | null;
  tag: number | null;
}

/** Adds `count` statuses, one per minute until now, to a database with one user. Of the authors, one in `localOf` is local. */
export function seed(path: string, count: number, origin: string, localOf = 2): void {
  const db = new Database(path, { strict: true });
  // Nothing else uses the database, and a failure discards it.
  db.run("PRAGMA journal_mode = OFF");
  db.run("PRAGMA synchronous = OFF");
  db.run("BEGIN");
  const begin = Date.now() - count * MINUTE;
  const people = seedPeople(db, origin, localOf);
  const samples = seedSamples(db, origin);
  const idOf = (n: number) => idAt(begin + n * MINUTE);
  const insert = statusInserts(db);
  const say = textGenerator();
  for (let n = 0; n < count; n += 1) {
    seedStatus(insert, n, { people, samples, say, idOf, at: begin + n * MINUTE });
  }
  seedHome(db, people);
  seedList(db, people);
  seedFilters(db, people[0]!);
  db.run("COMMIT");
  seedSearch(db);
  db.run("PRAGMA journal_mode = WAL");
  db.close();
}

/** Statuses per transaction. A transaction remembers each of them until the commit. */
const SLICE = 10_000;

function seedSearch(raw: Database): void {
  const db = new Db(raw);
  const ids = db.all<{ id: number }>("SELECT id FROM statuses").map(({ id }) => id);
  for (let at = 0; at < ids.length; at += SLICE) {
    db.transaction((tx) => {
      for (const id of ids.slice(at, at + SLICE)) indexStatus(tx, id);
    });
  }
}

/** Returns the viewer first. */
function seedPeople(db: Database, origin: string, localOf: number): Person[] {
  const viewer = db.query<{ id: number; uri: string }, []>("SELECT id, uri FROM accounts").get()!;
  const people: Person[] = [{ ...viewer, local: true }];
  const insert = db.query(
    `INSERT INTO accounts (id, username, domain, display_name, note_html, uri, url, indexable, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1, ?7, ?7)`,
  );
  const follow = db.query("INSERT INTO follows (account_id, target_account_id, created_at) VALUES (?, ?, ?)");
  for (let n = 1; n <= PEOPLE; n += 1) {
    const at = Date.UTC(2019, n % 12, n);
    const domain = n % localOf === 0 ? null : `far${n}.example`;
    const person = { id: idAt(at), uri: `${domain ? `https://${domain}` : origin}/users/friend${n}`, local: !domain };
    const note = "<p>Writes about gardens, rivers and old machines.</p>";
    insert.run(person.id, `friend${n}`, domain, `Friend No. ${n}`, note, person.uri, at);
    follow.run(viewer.id, person.id, at);
    follow.run(person.id, viewer.id, at);
    people.push(person);
  }
  return people;
}

/** About 200 characters each, rendered like local posts: all with a link, some with a mention or a hashtag. */
function seedSamples(db: Database, origin: string): Sample[] {
  const tag = db.query("INSERT INTO tags (id, name, display_name, created_at) VALUES (?1, ?2, ?2, 0)");
  for (let n = 1; n <= TAGS; n += 1) tag.run(n, `topic${n}`);
  const card = db.query(
    `INSERT INTO preview_cards (id, url, type, title, description, author_name, author_url, provider_name, provider_url,
       html, width, height, embed_url, image_description, updated_at)
     VALUES (?1, ?2, 'link', 'A story with a long address', 'Three boats come home, and nobody says a word.', 'A. Writer',
       '', 'News', '', '', 0, 0, '', '', 0)`,
  );
  const page = db.query("INSERT INTO links (id, url, card_id, fetched_at) VALUES (?1, ?2, ?1, 0)");
  return Array.from({ length: TEXTS }, (_, n) => {
    const mention = n % 5 === 0 ? 1 + (n % PEOPLE) : null;
    const tag = n % 3 === 0 ? 1 + (n % TAGS) : null;
    const link = `https://news.example/2026/11/${n}/a-story-with-a-long-address`;
    card.run(n + 1, link);
    page.run(n + 1, link);
    const text = [mention && `@friend${mention}`, PLACEHOLDER, link, tag && `#topic${tag}`].filter(Boolean).join(" ");
    const content = renderText(text, {
      mentionUrl: ({ username }) => ({ url: `${origin}/@${username}`, username }),
      tagUrl: (name) => `${origin}/tags/${name}`,
    });
    return { text, content, mention, tag };
  });
}

function statusInserts(db: Database) {
  return {
    status: db.query(
      `INSERT INTO statuses (id, account_id, uri, url, local, visibility, text, content, language, conversation_id,
         in_reply_to_id, in_reply_to_account_id, reblog_of_id, has_media, replies_count, reblogs_count,
         favourites_count, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'en', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    mention: db.query("INSERT INTO mentions (status_id, account_id) VALUES (?, ?)"),
    tag: db.query("INSERT INTO status_tags (status_id, tag_id) VALUES (?, ?)"),
    link: db.query("INSERT INTO status_links (status_id, link_id) VALUES (?, ?)"),
    quote: db.query(
      "INSERT INTO quotes (status_id, quoted_status_id, state, created_at) VALUES (?1, ?2, 'accepted', ?3)",
    ),
    poll: db.query(
      "INSERT INTO polls (id, status_id, multiple, hide_totals, voters_count, expires_at) VALUES (?1, ?2, 0, 0, 1, ?3)",
    ),
    option: db.query("INSERT INTO poll_options (poll_id, position, title, votes_count) VALUES (?1, ?2, ?3, ?2)"),
    vote: db.query("INSERT INTO poll_votes (poll_id, account_id, choice, created_at) VALUES (?, ?, 1, ?)"),
    favourite: db.query("INSERT INTO favourites (status_id, account_id, created_at) VALUES (?, ?, ?)"),
    media: db.query(
      `INSERT INTO media_attachments (id, account_id, status_id, type, content_type, file, file_size, width, height,
         small, small_width, small_height, description, blurhash, created_at)
       VALUES (?1, ?2, ?1, 'image', 'image/jpeg', 'attachments/' || ?1 || '/original.jpg', 240000, 1600, 1200,
         'attachments/' || ?1 || '/small.jpg', 640, 480, 'Three boats in the harbour at dawn',
         'UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH', ?3)`,
    ),
  };
}

interface Setting {
  people: Person[];
  samples: Sample[];
  say(): string;
  idOf(n: number): number;
  at: number;
}

/**
 * Of ten posts in a row, number 3 replies to number 2, number 7 boosts number 4, numbers 0 and 5 have an image, 1 and 6
 * a card, number 8 quotes number 4, and number 9 has a poll in which the viewer voted.
 */
function seedStatus(insert: ReturnType<typeof statusInserts>, n: number, setting: Setting): void {
  const { people, samples, idOf, at } = setting;
  const author = people[n % people.length]!;
  const sample = samples[n % samples.length]!;
  const said = setting.say();
  const [id, kind] = [idOf(n), n % 10];
  const [isReply, isReblog, hasMedia, isFavourite] = [kind === 3, kind === 7, n % 5 === 0, n % 2 === 0];
  const visibility = n % 100 === 21 ? "private" : n % 100 === 41 ? "unlisted" : "public";
  insert.status.run(
    id,
    author.id,
    `${author.uri}/statuses/${id}`,
    `${author.uri}/${id}`,
    author.local ? 1 : 0,
    visibility,
    isReblog ? "" : sample.text.replace(PLACEHOLDER, said),
    isReblog ? "" : sample.content.replace(PLACEHOLDER, said),
    isReply ? idOf(n - 1) : id,
    isReply ? idOf(n - 1) : null,
    isReply ? people[(n - 1) % people.length]!.id : null,
    isReblog ? idOf(n - 3) : null,
    hasMedia ? 1 : 0,
    kind === 2 ? 1 : 0,
    kind === 4 ? 1 : 0,
    isFavourite ? 1 : 0,
    at,
  );
  if (hasMedia) insert.media.run(id, author.id, at);
  if (kind === 1 || kind === 6) insert.link.run(id, (n % samples.length) + 1);
  if (kind === 8) insert.quote.run(id, idOf(n - 4), at);
  if (kind === 9) seedPoll(insert, n, id, people[0]!, at);
  if (isFavourite) insert.favourite.run(id, people[(n / 2) % people.length]!.id, at);
  if (sample.mention !== null && !isReblog) insert.mention.run(id, people[sample.mention]!.id);
  if (sample.tag !== null && !isReblog) insert.tag.run(id, sample.tag);
}

function seedPoll(
  insert: ReturnType<typeof statusInserts>,
  pollId: number,
  statusId: number,
  viewer: Person,
  at: number,
): void {
  insert.poll.run(pollId, statusId, at + 24 * 60 * MINUTE);
  for (const [position, title] of ["By boat", "On foot"].entries()) insert.option.run(pollId, position, title);
  insert.vote.run(pollId, viewer.id, at);
}

/** The viewer's home timeline and notifications, and all counters. */
function seedHome(db: Database, people: Person[]): void {
  const viewer = people[0]!.id;
  db.query("INSERT INTO home_timeline (account_id, status_id) SELECT ?, id FROM statuses ORDER BY id DESC LIMIT ?").run(
    viewer,
    HOME_LENGTH,
  );
  const own = db
    .query<{ id: number }, [number, number]>(
      "SELECT id FROM (SELECT id FROM statuses WHERE account_id = ? AND reblog_of_id IS NULL ORDER BY id DESC LIMIT ?) ORDER BY id",
    )
    .all(viewer, NOTIFICATIONS);
  const notification = db.query(
    "INSERT INTO notifications (account_id, type, from_account_id, status_id, created_at, group_key) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const types = ["favourite", "reblog", "favourite", "mention", "follow"] as const;
  for (let n = 0; n < NOTIFICATIONS; n += 1) {
    const type = types[n % types.length]!;
    const status = own[Math.floor((n / NOTIFICATIONS) * own.length)]!.id;
    const target = type === "follow" ? null : status;
    const from = people[1 + (n % PEOPLE)]!.id;
    const at = Date.now() - (NOTIFICATIONS - n) * MINUTE;
    const halfDay = Math.floor(at / (720 * MINUTE)) * 12;
    const key = type === "mention" ? null : [type, ...(target ? [target] : []), halfDay].join("-");
    notification.run(viewer, type, from, target, at, key);
  }
  db.run(`
    UPDATE accounts SET
      statuses_count = (SELECT count(*) FROM statuses WHERE account_id = accounts.id),
      last_status_at = (SELECT max(created_at) FROM statuses WHERE account_id = accounts.id),
      followers_count = (SELECT count(*) FROM follows WHERE target_account_id = accounts.id),
      following_count = (SELECT count(*) FROM follows WHERE account_id = accounts.id)`);
}

/** A list of the viewer with all accounts. */
function seedList(db: Database, people: Person[]): void {
  const viewer = people[0]!.id;
  db.query(
    "INSERT INTO lists (id, account_id, title, replies_policy, exclusive, created_at) VALUES (1, ?, 'Friends', 'list', 0, 0)",
  ).run(viewer);
  db.query(
    `INSERT INTO list_accounts (list_id, account_id, follow_id)
     SELECT 1, target_account_id, id FROM follows WHERE account_id = ?`,
  ).run(viewer);
  db.query(
    `INSERT INTO list_timeline (list_id, status_id)
     SELECT 1, id FROM statuses WHERE account_id <> ? ORDER BY id DESC LIMIT ?`,
  ).run(viewer, HOME_LENGTH);
}

const FILTERS = 5;
/** Per filter. */
const KEYWORDS = 10;

/** Fifty keywords, some of which match now and then. */
function seedFilters(db: Database, viewer: Person): void {
  const filter = db.query(
    `INSERT INTO filters (id, account_id, title, context, filter_action, created_at)
     VALUES (?, ?, 'Not now', '["home","public"]', 'warn', 0)`,
  );
  const keyword = db.query("INSERT INTO filter_keywords (filter_id, keyword, whole_word) VALUES (?, ?, ?)");
  for (let n = 1; n <= FILTERS; n += 1) {
    filter.run(n, viewer.id);
    for (let k = 0; k < KEYWORDS; k += 1) keyword.run(n, k === 0 ? `#topic${n}` : `worry no. ${n * k}`, k % 2);
  }
}
