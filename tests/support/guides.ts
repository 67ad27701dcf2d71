/** The samples of the guides in docs/, so that tests run what readers copy. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SAMPLE_PROGRAM, SAMPLE_URL } from '../../api/sample-values.ts'
import { ROOT } from '../../dev/root.ts'

/** `file`: the name of the file in the paragraph above, if it has one. */
export type Sample = { language: string; code: string; file: string | undefined }

export const readGuide = (name: string): string =>
  readFileSync(join(ROOT, `docs/guide-${name}.md`), 'utf8')

/** The code blocks of a page, in its order. */
const samplesIn = (page: string): Sample[] => {
  const parts = page.split(/^ *```(\w*)\n(.*?)^ *```$/ms)
  return parts.flatMap((language, index) =>
    index % 3 === 1
      ? {
          language,
          code: parts[index + 1] ?? '',
          file: /`([\w./-]*\.\w[\w.]*)`/.exec(
            parts[index - 1]?.trimEnd().split('\n\n').at(-1) ?? '',
          )?.[1],
        }
      : [],
  )
}

/** The code blocks of a guide. */
export const samplesOf = (name: string): Sample[] => samplesIn(readGuide(name))

/** The code blocks of a section of another page. */
export const sectionSamples = (page: string, heading: string): Sample[] => {
  const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8')
  return samplesIn(text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '')
}

/** What a reader puts into samples. */
export type Reader = { baseUrl: string; programId: string; apiKey: string }

/** A sample with the reader's own values. */
const fillSample = (code: string, { baseUrl, programId, apiKey }: Reader): string =>
  code
    .replaceAll(SAMPLE_URL, baseUrl)
    .replaceAll(SAMPLE_PROGRAM, programId)
    .replaceAll('trib_live_...', apiKey)

/** The files that a reader of the guide writes, by their names. */
export const filesOf = (name: string, reader: Reader): Map<string, string> =>
  new Map(
    samplesOf(name).flatMap(({ file, code }) =>
      file ? [[file, fillSample(code, reader)] as const] : [],
    ),
  )
