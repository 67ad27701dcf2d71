/** The samples of the guides in docs/, so that tests run what readers copy. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../dev/root.ts'

export type Sample = { language: string; code: string }

export const readGuide = (name: string): string => readFileSync(join(ROOT, `docs/guide-${name}.md`), 'utf8')

/** The code blocks of a guide, in its order. */
export const samplesOf = (name: string): Sample[] =>
  [...readGuide(name).matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
