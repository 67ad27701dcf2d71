/**
 * What the snippet does on a page, in a panel over it. The snippet loads it where the URL has
 * `tributary_debug`, from where it came itself. docs/snippet.md, "See what it does".
 */

type Fact = { name: string; value: string; isWrong?: boolean }

const SENT: Record<number, string> = {
  200: 'recorded',
  400: 'refused: the program’s id is wrong',
  404: 'refused: no active partner of this program has this slug',
  429: 'limited: it is sent again on the next page',
}

/** The violations of the page's policy by what the snippet needs, also from before this script. */
const blocked = new Set<string>()
const noteBlocked = (url: string) => {
  if (/via|api\/track\/click|debug\.js/.test(url)) blocked.add(url)
}
addEventListener('securitypolicyviolation', ({ blockedURI }) => noteBlocked(blockedURI))
if ('ReportingObserver' in self) {
  new ReportingObserver(
    (reports) => {
      for (const { body } of reports)
        noteBlocked(String((body as { blockedURL?: string } | null)?.blockedURL))
    },
    { types: ['csp-violation'], buffered: true },
  ).observe()
}

const tags = (): HTMLScriptElement[] =>
  [...document.scripts].filter(({ src, dataset }) => dataset.program ?? /[?&]program=/.test(src))

const option = ({ dataset, src }: HTMLScriptElement, name: string): string =>
  dataset[name] ?? new URL(src, location.href).searchParams.get(name) ?? ''

const valuesIn = (url: string, names: string[]): string[] => {
  const query = new URLSearchParams(
    url
      .split(/[?#]|&amp;/)
      .slice(1)
      .join('&'),
  )
  const spelled = names.flatMap((name) => (name === 'via' ? ['via', 'VIA', 'Via'] : name))
  return spelled.flatMap((name) =>
    query
      .getAll(name)
      .filter(Boolean)
      .map((value) => `${name}=${value}`),
  )
}

const slugFact = (names: string[]): Fact => {
  const loaded = performance.getEntriesByType('navigation')[0]?.name ?? ''
  const here = valuesIn(location.href, names)
  if (here.length) return { name: 'Slug', value: here.join(', ') }
  const before = valuesIn(loaded, names)
  return {
    name: 'Slug',
    value: before.length
      ? `${before.join(', ')}, when the page was loaded`
      : `none in the URL (${names.join(', ')})`,
  }
}

/**
 * The posts of clicks, with their status. A browser that does not say it, or a policy that blocks
 * the post, leaves it 0.
 */
const postFacts = (): Fact[] => {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const posts = entries.filter(({ name }) => name.endsWith('/api/track/click'))
  if (posts.length === 0) return [{ name: 'Click sent', value: 'not on this page' }]
  return posts.map(({ responseStatus: status }) => ({
    name: 'Click sent',
    value: status
      ? `${status}, ${SENT[status] ?? 'failed: it is sent again on the next page'}`
      : 'no answer',
    isWrong: status !== 200,
  }))
}

const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

const cookie = (): string => {
  try {
    return document.cookie.match(/(?:^|; )tributary_click=([^;]*)/)?.[1] ?? 'none'
  } catch {
    return 'not readable on this page'
  }
}

/** What is to be seen of the snippet on this page. */
const collect = (): Fact[] => {
  const own = tags()
  const programs = own.flatMap((tag) => option(tag, 'program').split(/[ ,]+/).filter(Boolean))
  const names = [
    'via',
    ...own.flatMap((tag) => option(tag, 'params').split(/[ ,]+/).filter(Boolean)),
  ]
  const id = self.tributary?.clickId()
  const fields = [...document.querySelectorAll<HTMLInputElement>('[name=tributary_click]')]
  const links = [...document.links].filter(({ href }) => id && href.includes(id))
  const pending = programs.filter((program) => stored(`tributary_${program}`))
  const consents = own.filter((tag) => option(tag, 'consent'))
  return [
    {
      name: 'Programs',
      value: programs.join(', ') || 'none: the tag has no data-program',
      isWrong: !programs.length,
    },
    slugFact([...new Set(names)]),
    ...postFacts(),
    { name: 'Click ID', value: id ?? 'none' },
    { name: 'Cookie', value: cookie(), isWrong: id !== undefined && cookie() !== id },
    ...(pending.length
      ? [{ name: 'Not delivered', value: pending.join(', '), isWrong: true }]
      : []),
    {
      name: 'Form fields',
      value: `${fields.filter(({ value }) => id && value === id).length} of ${fields.length} filled in`,
    },
    { name: 'Links', value: `${links.length} with the click ID` },
    ...(consents.length
      ? [{ name: 'Consent', value: 'required; see whether a click is sent' }]
      : []),
    ...(navigator.webdriver
      ? [{ name: 'Browser', value: 'automated, which is not tracked', isWrong: true }]
      : []),
    ...[...blocked].map((url) => ({
      name: 'Blocked by the page’s policy',
      value: url,
      isWrong: true,
    })),
  ]
}

const STYLE = `
  :host { all: initial; position: fixed; right: 1rem; bottom: 1rem; z-index: 2147483647; }
  section { box-sizing: border-box; width: min(24rem, calc(100vw - 2rem)); max-height: 80vh; overflow: auto; padding: 1rem;
    font: 13px/1.5 system-ui, sans-serif; color: #111; background: #fff; border: 1px solid #888; border-radius: 8px;
    box-shadow: 0 4px 24px rgb(0 0 0 / 25%); }
  header { display: flex; justify-content: space-between; align-items: center; }
  h2 { margin: 0; font-size: 14px; }
  dl { margin: 0.5rem 0 0; }
  dt { font-weight: 600; }
  dd { margin: 0 0 0.4rem; overflow-wrap: anywhere; }
  .wrong { color: #a11; }
  button { font: inherit; }
`

const host = document.createElement('div')
const root = host.attachShadow({ mode: 'open' })
// Not a <style>, which the page's policy may forbid.
const sheet = new CSSStyleSheet()
sheet.replaceSync(STYLE)
root.adoptedStyleSheets = [sheet]
const section = document.createElement('section')
section.setAttribute('aria-label', 'Tributary')
const header = document.createElement('header')
const heading = document.createElement('h2')
heading.textContent = 'Tributary on this page'
const close = document.createElement('button')
close.type = 'button'
close.textContent = 'Close'
const list = document.createElement('dl')
header.append(heading, close)
section.append(header, list)
root.append(section)

const show = (): void => {
  list.replaceChildren(
    ...collect().flatMap(({ name, value, isWrong }) => {
      const [term, description] = [document.createElement('dt'), document.createElement('dd')]
      term.textContent = name
      description.textContent = value
      if (isWrong) description.className = 'wrong'
      return [term, description]
    }),
  )
}

show()
document.body.append(host)
const timer = setInterval(show, 1_000)
close.addEventListener('click', () => {
  clearInterval(timer)
  host.remove()
})

export {}
