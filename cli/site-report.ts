/** What `npm run doctor` reports about a site: one line for each check, and what to do. */
import type { SentClick, SiteFacts } from './site-visit.ts'

export type Line = {
  state: 'ok' | 'warning' | 'wrong'
  name: string
  found: string
  /** What to do, where something is not ok. */
  fix?: string
}

export const ok = (name: string, found: string): Line => ({ state: 'ok', name, found })
export const warning = (name: string, found: string, fix?: string): Line => ({
  state: 'warning',
  name,
  found,
  ...(fix && { fix }),
})
export const wrong = (name: string, found: string, fix: string): Line => ({
  state: 'wrong',
  name,
  found,
  fix,
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const pageLine = ({ unreachable, status, url }: SiteFacts): Line => {
  if (unreachable)
    return wrong('Page', unreachable, 'Check the address, and whether the site is up.')
  if (status !== null && status >= 400)
    return wrong('Page', `${status} ${url}`, 'Open a page that visitors land on.')
  return ok('Page', `${status ?? ''} ${url}`.trim())
}

const snippetLine = ({ tags, isRunning, failed, blocked }: SiteFacts): Line => {
  const name = 'Snippet'
  if (tags.length === 0)
    return wrong(
      name,
      'not on the page',
      'Copy the tag from the program’s page into the <head>. If a tag manager or a consent banner adds it, see docs/tags.md.',
    )
  if (isRunning) return ok(name, tags.map(({ src }) => src).join(', '))
  if (blocked.length > 0)
    return wrong(
      name,
      'blocked by the page’s policy',
      'Allow it in the Content-Security-Policy: see docs/snippet.md.',
    )
  return wrong(
    name,
    failed.join(', ') || 'there, but it has not started',
    'Check the address in the tag’s src: it must be the /via.js of your installation.',
  )
}

const programLine = ({ tags }: SiteFacts): Line => {
  const ids = tags.flatMap(({ programs }) => programs.split(/[ ,]+/).filter(Boolean))
  const found = ids.join(', ') || 'none'
  return ids.length > 0 && ids.every((id) => UUID.test(id))
    ? ok('Program', found)
    : wrong('Program', found, 'Put the program’s ID into data-program: its page shows the tag.')
}

const paramsOf = ({ tags }: SiteFacts): string[] => [
  ...new Set(['via', ...tags.flatMap(({ params }) => params.split(/[ ,]+/).filter(Boolean))]),
]

const slugLine = (facts: SiteFacts): Line => {
  const query = new URLSearchParams(facts.url.replace(/^[^?#]*[?#]?/, '').replace(/[?#]/g, '&'))
  const params = paramsOf(facts)
  const found = params.flatMap((param) => query.getAll(param).map((slug) => `${param}=${slug}`))
  if (found.length > 0) return ok('Slug', `${found.join(', ')} in the address`)
  if (facts.clicks.some(({ slugs }) => slugs.length > 0))
    return ok('Slug', 'in the address until the site changed it')
  return wrong(
    'Slug',
    `none: ${facts.url} has none of ${params.join(', ')}`,
    'If the site redirects, keep the query. If its links name the partner otherwise, set data-params.',
  )
}

const clickLine = (click: SentClick): Line => {
  const name = 'Click'
  const { status, message, slugs } = click
  const what = `${slugs.join(', ') || 'without a slug'}: `
  if (status === 200) return ok(name, `${what}recorded`)
  const found = `${what}${status ?? 'no answer'}${message ? `, ${message}` : ''}`
  if (status === 404)
    return wrong(
      name,
      found,
      'Use the slug of an active partner of this program, and the ID of its program in the tag.',
    )
  if (status === 429) return wrong(name, found, 'Wait a minute, and try again.')
  if (status === 400) return wrong(name, found, 'Check the program’s ID in the tag.')
  return wrong(
    name,
    found,
    'Check that the installation is up, and that no proxy or policy stops the request.',
  )
}

const clickLines = ({ clicks, tags, blocked }: SiteFacts): Line[] => {
  if (clicks.length > 0) return clicks.map(clickLine)
  const name = 'Click'
  if (tags.some(({ consent }) => consent))
    return [warning(name, 'not sent: the tag waits for consent', 'Add --consent to give it.')]
  const blockedFix = 'Allow it in connect-src: see docs/snippet.md.'
  if (blocked.length > 0) return [wrong(name, 'not sent: the page’s policy blocks it', blockedFix)]
  return [wrong(name, 'not sent', 'The snippet sends a click where it finds a slug: see above.')]
}

const cookieLine = ({ cookie, clickId, clicks }: SiteFacts): Line => {
  const name = 'Cookie'
  if (cookie && clickId === cookie.value)
    return ok(name, `tributary_click for ${cookie.domain}, ${cookie.days} days`)
  if (!clicks.some(({ status }) => status === 200))
    return warning(name, 'none, because no click was recorded')
  return wrong(
    name,
    cookie ? `${cookie.value}, and the click is ${clickId}` : 'none',
    'Something removes or replaces the cookie tributary_click. Look for a consent tool that blocks it.',
  )
}

const filledLines = ({ fields, links, clickId }: SiteFacts): Line[] => {
  if (!clickId) return []
  const filled = `${fields.filled} of ${fields.all} have the click ID`
  return [
    fields.filled === fields.all
      ? ok('Form fields', fields.all === 0 ? 'none on this page' : filled)
      : wrong(
          'Form fields',
          filled,
          'Leave the fields named tributary_click empty: the snippet replaces no other value.',
        ),
    ok('Links', links === 0 ? 'none with the click ID on this page' : `${links} with the click ID`),
  ]
}

const consentLines = ({ tags }: SiteFacts): Line[] =>
  tags.some(({ consent }) => consent)
    ? [ok('Consent', 'the tag waits for tributary.consent()')]
    : []

const policyLine = ({ blocked }: SiteFacts): Line =>
  blocked.length === 0
    ? ok('Policy', 'blocks nothing of the snippet')
    : wrong(
        'Policy',
        `blocks ${blocked.join(', ')}`,
        'Allow it: docs/snippet.md, "Content Security Policy".',
      )

/** The checks, in the order of a visit. Those that depend on a failed one are left out. */
export const reportOn = (facts: SiteFacts): Line[] => {
  const page = pageLine(facts)
  if (facts.unreachable) return [page]
  const snippet = snippetLine(facts)
  const isThere = facts.tags.length > 0
  return [
    page,
    snippet,
    ...(isThere ? [programLine(facts)] : []),
    ...consentLines(facts),
    ...(facts.isRunning
      ? [slugLine(facts), ...clickLines(facts), cookieLine(facts), ...filledLines(facts)]
      : []),
    ...(isThere ? [policyLine(facts)] : []),
  ]
}

const MARKS = { ok: 'ok', warning: 'warning', wrong: 'WRONG' }

/** The lines as a table, with what to do below those that are not ok. */
export const toText = (lines: Line[]): string => {
  const widest = Math.max(...lines.map(({ name }) => name.length))
  return lines
    .flatMap(({ state, name, found, fix }) => [
      `${MARKS[state].padEnd(7)}  ${name.padEnd(widest)}  ${found}`,
      ...(fix ? [`${' '.repeat(9 + widest + 2)}${fix}`] : []),
    ])
    .join('\n')
}
