interface Reply {
  id: string;
  in_reply_to_id: string | null;
}

/**
 * A list with the latest posts first, where posts that reply to one another are in the order in which they were
 * written. Each thread is where its latest post was.
 */
export function inThreads<Post extends Reply>(posts: readonly Post[]): Post[][] {
  const listed = new Map(posts.map((post) => [post.id, post]));
  const threads = new Map<Post, Post[]>();
  for (const post of posts) {
    const first = firstOf(post, listed);
    const thread = threads.get(first);
    if (thread) thread.unshift(post);
    else threads.set(first, [post]);
  }
  return [...threads.values()];
}

/** The listed post with which the thread of a post begins. */
function firstOf<Post extends Reply>(post: Post, listed: ReadonlyMap<string, Post>): Post {
  let first = post;
  // A reply is always newer than its parent, so this ends.
  for (let parent = parentOf(first, listed); parent; parent = parentOf(first, listed)) first = parent;
  return first;
}

function parentOf<Post extends Reply>(post: Post, listed: ReadonlyMap<string, Post>): Post | undefined {
  return post.in_reply_to_id === null ? undefined : listed.get(post.in_reply_to_id);
}
