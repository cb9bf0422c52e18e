declare module "*.png" {
  const path: string;
  export default path;
}

declare module "*.md" {
  const text: string;
  export default text;
}
