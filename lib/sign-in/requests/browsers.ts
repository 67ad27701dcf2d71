/** Browsers, as people recognize them. */

/** Those that also call themselves like another one stand before it. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (Mobile\/\w+ )?Safari\//, 'Safari'],
]

const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

const UNKNOWN = 'Unknown browser'

/** The browser and the system of a stored name; null for an unknown browser. */
export const partsOfName = (stored: string): { browser: string; system?: string } | null => {
  if (stored === UNKNOWN) return null
  const [browser = stored, system] = stored.split(' on ')
  return system ? { browser, system } : { browser }
}

const nameIn = (names: typeof BROWSERS, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Browser and system of a request in our own words, such as "Firefox on Windows". All that is
 * stored of it: the header is chosen by whoever sends it, and says more about a person than the
 * list of sessions needs.
 */
export const browserName = (userAgent: string | undefined): string => {
  const browser = nameIn(BROWSERS, userAgent ?? '')
  if (!browser) return UNKNOWN
  const system = nameIn(SYSTEMS, userAgent ?? '')
  return system ? `${browser} on ${system}` : browser
}

/**
 * Browsers inside of apps, which open links that are tapped there, and share no session with the
 * person's own browser.
 */
const IN_APP =
  /; wv\)|\b(FBAN|FBAV|FB_IAB|Instagram|Line|LinkedInApp|MicroMessenger|Twitter|TikTok|BytedanceWebview|Snapchat|Pinterest|GSA|YaApp_iOS|DuckDuckGo)\b|\b(iPhone|iPad|iPod)\b(?!.*\bSafari\/)/

/** Whether a page is shown by the browser inside of an app. */
export const isInApp = (userAgent: string | undefined): boolean => IN_APP.test(userAgent ?? '')
