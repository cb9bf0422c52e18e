import { addEmoji } from "../../src/core/media/emojis.ts";
import { animation, picture } from "../fixtures/pictures.ts";
import type { TestServer } from "./server.ts";

interface Options {
  category?: string;
  hidden?: boolean;
  moving?: boolean;
  shade?: number;
}

/** Adds an emoji like the owner does. */
export async function ownEmoji(server: TestServer, shortcode: string, options: Options = {}): Promise<void> {
  const { category = null, hidden = false, moving = false, shade = 0 } = options;
  const image = moving ? (await animation(3)).gif() : picture(20, 20, { shade }).png();
  await addEmoji(server.ctx, { shortcode, picture: await image.toBuffer(), category, visibleInPicker: !hidden });
}
