/** The full name of an image: `nginx` is `docker.io/library/nginx:latest`. */
export function normalizedImage(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const full = hasHost ? image : rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
  const tagged = full.includes('@') || /:[^/]*$/.test(full);
  return tagged ? full : `${full}:latest`;
}
