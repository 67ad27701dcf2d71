/** Placeholders of samples, which islands/docs.ts replaces with the reader's own values. */
export const SAMPLE_URL = 'https://track.example.com'
export const SAMPLE_WORKSPACE = 'acme'
/** A program's id, as in docs/snippet.md. */
export const SAMPLE_PROGRAM = '0192f000-0000-7000-8000-000000000001'
