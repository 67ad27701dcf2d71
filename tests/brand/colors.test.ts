import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentColors, BACKGROUNDS, contrast, textOn } from '../../lib/brand/colors.ts'
import { SEEDS } from '../support/thorough.ts'

const css = readFileSync(new URL('../../public/app.css', import.meta.url), 'utf8')

const hex = (channel: number) => channel.toString(16).padStart(2, '0')
const colorOf = (channels: number[]) => `#${channels.map(hex).join('')}`

/** A grid over all colours, whose corners are black, white and the pure ones. */
const LEVELS = Array.from({ length: 16 }, (_, index) => index * 17)
const GRID = LEVELS.flatMap((red) =>
  LEVELS.flatMap((green) => LEVELS.map((blue) => colorOf([red, green, blue]))),
)

/** What cannot be read of a colour, each with its contrast. */
const unreadable = (accent: string) => {
  const { onLight, onDark, button, buttonText } = accentColors(accent)
  const pairs = [
    [buttonText, button],
    ...BACKGROUNDS.light.map((background) => [onLight, background]),
    ...BACKGROUNDS.dark.map((background) => [onDark, background]),
  ] as [string, string][]
  return pairs.flatMap(([text, background]) => {
    const found = contrast(text, background)
    return found < 4.5 ? [{ accent, text, background, found }] : []
  })
}

test.each([
  { one: '#ffffff', other: '#000000', is: 21 },
  { one: '#777777', other: '#ffffff', is: 4.48 },
  { one: '#0000ff', other: '#ffffff', is: 8.59 },
])('the contrast of $one and $other is the one that WCAG gives', ({ one, other, is }) => {
  expect(contrast(one, other)).toBeCloseTo(is, 2)
  expect(contrast(other, one)).toBe(contrast(one, other))
})

test('every colour of a grid can be read as a link on each background, and its button too', () => {
  expect(GRID.flatMap(unreadable)).toEqual([])
})

test('so can any colour', () => {
  const channel = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(channel, channel, channel).map(colorOf), (accent) => {
      expect(unreadable(accent)).toEqual([])
    }),
    { seed: SEEDS[0], numRuns: 2_000 },
  )
})

test.each([
  { accent: '#ffd400', text: '#000000' },
  { accent: '#1f5f4a', text: '#ffffff' },
  // Of both contrasts, white's is the lower one, and enough.
  { accent: '#757575', text: '#ffffff' },
])('the text of a button in $accent is $text', ({ accent, text }) => {
  expect(textOn(accent)).toBe(text)
})

test('a colour that can be read stays as it is', () => {
  expect(accentColors('#1f5f4a').onLight).toBe('#1f5f4a')
  expect(accentColors('#9fe0c8').onDark).toBe('#9fe0c8')
})

test('the backgrounds are those of the style sheet', () => {
  const colors = ['paper', 'card', 'side', 'good-tint', 'wait-tint', 'bad-tint'].map((name) => {
    const [, light, dark] =
      new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? []
    return { light, dark }
  })
  expect(colors.map(({ light }) => light)).toEqual([...BACKGROUNDS.light])
  expect(colors.map(({ dark }) => dark)).toEqual([...BACKGROUNDS.dark])
})
