/** Control characters and marks of direction, with which a text could rearrange what stands around it. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
