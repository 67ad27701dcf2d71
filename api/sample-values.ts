/** What samples have where readers put their own. islands/docs.ts fills it in. */
export const SAMPLE_URL = 'https://track.example.com'
export const SAMPLE_WORKSPACE = 'acme'
/** A program's id, as in docs/snippet.md. */
export const SAMPLE_PROGRAM = '0192f000-0000-7000-8000-000000000001'
