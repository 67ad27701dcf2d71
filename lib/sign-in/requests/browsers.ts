/** Browsers, as people recognize them. */

/** A browser that also contains another's name comes before it. */
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
 * Browser and system of a request, such as "Firefox on Windows". Nothing else of the header is
 * stored: its sender chooses it, and it says more about a person than the list of sessions needs.
 */
export const browserName = (userAgent: string | undefined): string => {
  const browser = nameIn(BROWSERS, userAgent ?? '')
  if (!browser) return UNKNOWN
  const system = nameIn(SYSTEMS, userAgent ?? '')
  return system ? `${browser} on ${system}` : browser
}

/** Browsers inside apps, which share no session with the person's own browser. */
const IN_APP =
  /; wv\)|\b(FBAN|FBAV|FB_IAB|Instagram|Line|LinkedInApp|MicroMessenger|Twitter|TikTok|BytedanceWebview|Snapchat|Pinterest|GSA|YaApp_iOS|DuckDuckGo)\b|\b(iPhone|iPad|iPod)\b(?!.*\bSafari\/)/

export const isInApp = (userAgent: string | undefined): boolean => IN_APP.test(userAgent ?? '')
