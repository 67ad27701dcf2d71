/**
 * The tiers of the suite: `npm test` is the quick one. A test without a tag is in it, and in no
 * other. A file has a tag by its first line, `// @module-tag thorough`, and a test by `{ tags:
 * 'thorough' }`: tests/walls.test.ts.
 */
export type Tier = 'quick' | 'thorough'

export const TAGS = [
  { name: 'thorough', description: 'Only in npm run test:thorough.' },
  {
    name: 'sampled',
    description: 'In both: a few cases or orders in npm test, more in npm run test:thorough.',
  },
]

/** Which tests a tier takes, in vitest's syntax. */
export const FILTERS: Record<Tier, string> = { quick: '!thorough', thorough: 'thorough || sampled' }

const MODULE_TAG = /^\/\/ @module-tag (\w+)\n/

/**
 * Whether a tier may take a test of a file, whose text is given. Loading the others would take
 * longer than many a test.
 */
export const hasTestsOf = (tier: Tier, text: string): boolean =>
  tier === 'quick'
    ? MODULE_TAG.exec(text)?.[1] !== 'thorough'
    : MODULE_TAG.test(text) ||
      new RegExp(`\\btags: '(${TAGS.map(({ name }) => name).join('|')})'`).test(text)
