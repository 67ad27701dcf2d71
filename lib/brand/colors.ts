/**
 * Readable colours, derived from a merchant's colour. WCAG 2.2 requires a contrast of 4.5 between
 * text and its background (AA, 1.4.3).
 */

const MIN_CONTRAST = 4.5

const BLACK = '#000000'
const WHITE = '#ffffff'

/**
 * The backgrounds of links and borders in public/app.css: --paper, --card, --side and the tints.
 */
export const BACKGROUNDS = {
  light: ['#f7f7f5', '#ffffff', '#efefec', '#e3f3e9', '#fbf1dc', '#fcebe8'],
  dark: ['#111316', '#181b1f', '#0d0f11', '#14301f', '#33280f', '#3a1b18'],
} as const

/** Red, green and blue of `#rrggbb`, from 0 to 255. */
const channels = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** Relative luminance, as WCAG defines it. */
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/**
 * Black or white, whichever is more readable on a colour. One of them always has enough contrast.
 */
export const textOn = (color: string): string =>
  contrast(color, WHITE) >= MIN_CONTRAST || contrast(color, WHITE) >= contrast(color, BLACK)
    ? WHITE
    : BLACK

/** A colour with a share of another, from 0 to 1. */
const mix = (color: string, other: string, share: number): string => {
  const others = channels(other)
  const mixed = channels(color).map((channel, index) =>
    Math.round(channel + ((others[index] ?? channel) - channel) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Steps between a colour and black or white. Finer steps make no visible difference. */
const STEPS = 50

/** The colour, darkened or lightened until it is readable on all of the backgrounds. */
const readableOn = (backgrounds: readonly string[], color: string, extreme: string): string => {
  for (let step = 0; step < STEPS; step++) {
    const candidate = mix(color, extreme, step / STEPS)
    if (backgrounds.every((background) => contrast(candidate, background) >= MIN_CONTRAST))
      return candidate
  }
  return extreme
}

/** A page's colours for an accent colour. @param accent `#rrggbb` */
export const accentColors = (accent: string) => ({
  /** For links and borders, on light and on dark pages. */
  onLight: readableOn(BACKGROUNDS.light, accent, BLACK),
  onDark: readableOn(BACKGROUNDS.dark, accent, WHITE),
  /** For buttons: the colour itself, and the colour of their text. */
  button: accent,
  buttonText: textOn(accent),
})
