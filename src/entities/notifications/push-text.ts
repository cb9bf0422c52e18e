import type { PushAlert } from "../../core/notifications/push.ts";
import { inLocale } from "../locales.ts";

/** The title of a push notification by type; `name` is the sender's. */
interface Titles extends Record<PushAlert, (name: string) => string> {
  /** Of a favourite with an emoji. */
  reaction(name: string, emoji: string): string;
}

const english: Titles = {
  mention: (name) => `${name} mentioned you`,
  status: (name) => `${name} posted`,
  reblog: (name) => `${name} boosted your post`,
  follow: (name) => `${name} followed you`,
  follow_request: (name) => `${name} requested to follow you`,
  favourite: (name) => `${name} favourited your post`,
  reaction: (name, emoji) => `${name} reacted with ${emoji}`,
  poll: (name) => `A poll by ${name} has ended`,
  update: (name) => `${name} edited a post`,
  quote: (name) => `${name} quoted your post`,
  quoted_update: (name) => `${name} edited a post that you quoted`,
  "admin.sign_up": (name) => `${name} signed up`,
  "admin.report": (name) => `${name} filed a report`,
};

const german: Titles = {
  mention: (name) => `${name} hat dich erwähnt`,
  status: (name) => `${name} hat etwas geschrieben`,
  reblog: (name) => `${name} hat deinen Beitrag geteilt`,
  follow: (name) => `${name} folgt dir`,
  follow_request: (name) => `${name} möchte dir folgen`,
  favourite: (name) => `${name} hat deinen Beitrag favorisiert`,
  reaction: (name, emoji) => `${name} hat mit ${emoji} reagiert`,
  poll: (name) => `Eine Umfrage von ${name} ist zu Ende`,
  update: (name) => `${name} hat einen Beitrag bearbeitet`,
  quote: (name) => `${name} hat deinen Beitrag zitiert`,
  quoted_update: (name) => `${name} hat einen Beitrag bearbeitet, den du zitiert hast`,
  "admin.sign_up": (name) => `${name} hat sich registriert`,
  "admin.report": (name) => `${name} hat jemanden gemeldet`,
};

const french: Titles = {
  mention: (name) => `${name} vous mentionne`,
  status: (name) => `${name} a publié un message`,
  reblog: (name) => `${name} a partagé votre message`,
  follow: (name) => `${name} vous suit`,
  follow_request: (name) => `${name} demande à vous suivre`,
  favourite: (name) => `${name} a mis votre message en favoris`,
  reaction: (name, emoji) => `${name} a réagi avec ${emoji}`,
  poll: (name) => `Un sondage de ${name} est terminé`,
  update: (name) => `${name} a modifié un message`,
  quote: (name) => `${name} a cité votre message`,
  quoted_update: (name) => `${name} a modifié un message que vous avez cité`,
  "admin.sign_up": (name) => `Nouvelle inscription : ${name}`,
  "admin.report": (name) => `${name} a signalé quelqu’un`,
};

export function titlesIn(locale: string): Titles {
  return inLocale({ en: english, de: german, fr: french }, locale);
}
