import { translateStatus } from "../../core/statuses/translations.ts";
import { visibleOriginal } from "../../core/visibility.ts";
import { parseId } from "../../lib/ids.ts";
import { object, optional, text } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

const LANGUAGE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/;

/** Mastodon's documentation: methods/statuses (translate). */
export function translationRoutes(routes: Router): void {
  const input = object({ lang: optional(text({ max: 35, pattern: LANGUAGE })) });
  routes.post(
    "/api/v1/statuses/:id/translate",
    { scope: "read:statuses", input, summary: "Translate a status" },
    async (call) => {
      const { ctx, viewerId, params } = call;
      const status = visibleOriginal(ctx, viewerId, parseId(params.id));
      const translation = await translateStatus(ctx, viewerId, status, call.input.lang ?? null);
      const { poll } = translation;
      return {
        content: translation.content,
        spoiler_text: translation.spoilerText,
        language: translation.language,
        poll: poll && { id: String(poll.id), options: poll.titles.map((title) => ({ title })) },
        media_attachments: translation.media.map(({ id, description }) => ({ id: String(id), description })),
        detected_source_language: translation.sourceLanguage,
        provider: "LibreTranslate",
      };
    },
  );
}
