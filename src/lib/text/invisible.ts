/** Control characters and direction marks, with which a text could rearrange the text around it. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
