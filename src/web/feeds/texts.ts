import { textsIn } from "../i18n/texts.ts";

export const feedTexts = textsIn(
  {
    postsOf: (name: string) => `Public posts by ${name}`,
    postsWith: (tag: string) => `Public posts with #${tag}`,
    homeOf: (handle: string) => `Home timeline of ${handle}`,
    homeHelp: "Private: everyone with this address can read it.",
    postBy: (name: string) => `Post by ${name}`,
    boosted: (name: string, title: string) => `${name} boosted: ${title}`,
    warning: (text: string) => `Content warning: ${text}`,
  },
  {
    postsOf: (name) => `Öffentliche Beiträge von ${name}`,
    postsWith: (tag) => `Öffentliche Beiträge mit #${tag}`,
    homeOf: (handle) => `Start-Timeline von ${handle}`,
    homeHelp: "Nur für den Besitzer: Wer diese Adresse hat, kann alles darin lesen.",
    postBy: (name) => `Beitrag von ${name}`,
    boosted: (name, title) => `${name} hat geteilt: ${title}`,
    warning: (text) => `Inhaltswarnung: ${text}`,
  },
  {
    postsOf: (name) => `Messages publics de ${name}`,
    postsWith: (tag) => `Messages publics avec #${tag}`,
    homeOf: (handle) => `Fil d’accueil de ${handle}`,
    homeHelp: "Réservé à son propriétaire : cette adresse suffit pour le lire.",
    postBy: (name) => `Message de ${name}`,
    boosted: (name, title) => `${name} a partagé : ${title}`,
    warning: (text) => `Avertissement : ${text}`,
  },
);
