export const AUTHORIZE = "/oauth/authorize";
export const INTERACTION = "/authorize_interaction";
