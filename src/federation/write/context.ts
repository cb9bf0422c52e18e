import type { JsonObject } from "../documents.ts";

/** The Public collection, in full: some servers don't know the short forms (ActivityPub, section 5.6). */
export const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

/** One constant context for all documents. It defines every term that Linnet sends beyond ActivityStreams. */
const CONTEXT = [
  "https://www.w3.org/ns/activitystreams",
  "https://w3id.org/security/v1",
  {
    manuallyApprovesFollowers: "as:manuallyApprovesFollowers",
    alsoKnownAs: { "@id": "as:alsoKnownAs", "@type": "@id" },
    movedTo: { "@id": "as:movedTo", "@type": "@id" },
    sensitive: "as:sensitive",
    Hashtag: "as:Hashtag",
    toot: "http://joinmastodon.org/ns#",
    Emoji: "toot:Emoji",
    featured: { "@id": "toot:featured", "@type": "@id" },
    featuredTags: { "@id": "toot:featuredTags", "@type": "@id" },
    discoverable: "toot:discoverable",
    indexable: "toot:indexable",
    attributionDomains: { "@id": "toot:attributionDomains", "@type": "@id" },
    focalPoint: { "@container": "@list", "@id": "toot:focalPoint" },
    blurhash: "toot:blurhash",
    votersCount: "toot:votersCount",
    gts: "https://gotosocial.org/ns#",
    interactionPolicy: { "@id": "gts:interactionPolicy", "@type": "@id" },
    canLike: { "@id": "gts:canLike", "@type": "@id" },
    canReply: { "@id": "gts:canReply", "@type": "@id" },
    canAnnounce: { "@id": "gts:canAnnounce", "@type": "@id" },
    canQuote: { "@id": "gts:canQuote", "@type": "@id" },
    automaticApproval: { "@id": "gts:automaticApproval", "@type": "@id" },
    manualApproval: { "@id": "gts:manualApproval", "@type": "@id" },
    interactingObject: { "@id": "gts:interactingObject", "@type": "@id" },
    interactionTarget: { "@id": "gts:interactionTarget", "@type": "@id" },
    quote: { "@id": "https://w3id.org/fep/044f#quote", "@type": "@id" },
    quoteAuthorization: { "@id": "https://w3id.org/fep/044f#quoteAuthorization", "@type": "@id" },
    QuoteAuthorization: "https://w3id.org/fep/044f#QuoteAuthorization",
    ReplyRequest: "gts:ReplyRequest",
    LikeRequest: "gts:LikeRequest",
    AnnounceRequest: "gts:AnnounceRequest",
    ReplyAuthorization: "gts:ReplyAuthorization",
    LikeAuthorization: "gts:LikeAuthorization",
    AnnounceAuthorization: "gts:AnnounceAuthorization",
    QuoteRequest: "https://w3id.org/fep/044f#QuoteRequest",
    quoteUrl: "as:quoteUrl",
    quoteUri: "http://fedibird.com/ns#quoteUri",
    _misskey_quote: "https://misskey-hub.net/ns#_misskey_quote",
    schema: "http://schema.org#",
    PropertyValue: "schema:PropertyValue",
    value: "schema:value",
  },
] as const;

/** The document that another server gets. Documents inside others have no context of their own. */
export function withContext(document: JsonObject): JsonObject {
  return { "@context": CONTEXT, ...document };
}
