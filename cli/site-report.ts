/** What `npm run doctor` says of a site: one line for each check, and what to do. */
import type { SentClick, SiteFacts } from './site-visit.ts'

export type Line = {
  state: 'ok' | 'warning' | 'wrong'
  name: string
  found: string
  /** What to do, where something is not ok. */
  fix?: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const pageLine = ({ unreachable, status, url }: SiteFacts): Line => {
  if (unreachable)
    return {
      state: 'wrong',
      name: 'Page',
      found: unreachable,
      fix: 'Check the address, and whether the site is up.',
    }
  if (status !== null && status >= 400)
    return {
      state: 'wrong',
      name: 'Page',
      found: `${status} ${url}`,
      fix: 'Open a page that visitors land on.',
    }
  return { state: 'ok', name: 'Page', found: `${status ?? ''} ${url}`.trim() }
}

const snippetLine = ({ tags, isRunning, failed, blocked }: SiteFacts): Line => {
  const name = 'Snippet'
  if (tags.length === 0)
    return {
      state: 'wrong',
      name,
      found: 'not on the page',
      fix: 'Copy the tag from the program’s page into the <head>. If a tag manager or a consent banner adds it, see docs/tags.md.',
    }
  if (isRunning) return { state: 'ok', name, found: tags.map(({ src }) => src).join(', ') }
  if (blocked.length > 0)
    return {
      state: 'wrong',
      name,
      found: 'blocked by the page’s policy',
      fix: 'Allow it in the Content-Security-Policy: see docs/snippet.md.',
    }
  return {
    state: 'wrong',
    name,
    found: failed.join(', ') || 'there, but it has not started',
    fix: 'Check the address in the tag’s src: it must be the /via.js of your installation.',
  }
}

const programLine = ({ tags }: SiteFacts): Line => {
  const ids = tags.flatMap(({ programs }) => programs.split(/[ ,]+/).filter(Boolean))
  const wrong = ids.filter((id) => !UUID.test(id))
  const found = ids.join(', ') || 'none'
  if (ids.length > 0 && wrong.length === 0) return { state: 'ok', name: 'Program', found }
  return {
    state: 'wrong',
    name: 'Program',
    found,
    fix: 'Put the program’s ID into data-program: its page shows the tag.',
  }
}

const paramsOf = ({ tags }: SiteFacts): string[] => [
  ...new Set(['via', ...tags.flatMap(({ params }) => params.split(/[ ,]+/).filter(Boolean))]),
]

const slugLine = (facts: SiteFacts): Line => {
  const query = new URLSearchParams(facts.url.replace(/^[^?#]*[?#]?/, '').replace(/[?#]/g, '&'))
  const params = paramsOf(facts)
  const found = params.flatMap((param) => query.getAll(param).map((slug) => `${param}=${slug}`))
  if (found.length > 0)
    return { state: 'ok', name: 'Slug', found: `${found.join(', ')} in the address` }
  if (facts.clicks.some(({ slugs }) => slugs.length > 0))
    return { state: 'ok', name: 'Slug', found: 'in the address until the site changed it' }
  return {
    state: 'wrong',
    name: 'Slug',
    found: `none: ${facts.url} has none of ${params.join(', ')}`,
    fix: 'If the site redirects, keep the query. If its links name the partner otherwise, set data-params.',
  }
}

const clickLine = (click: SentClick): Line => {
  const name = 'Click'
  const { status, message, slugs } = click
  const what = `${slugs.join(', ') || 'without a slug'}: `
  if (status === 200) return { state: 'ok', name, found: `${what}recorded` }
  const found = `${what}${status ?? 'no answer'}${message ? `, ${message}` : ''}`
  if (status === 404)
    return {
      state: 'wrong',
      name,
      found,
      fix: 'Use the slug of an active partner of this program, and the ID of its program in the tag.',
    }
  if (status === 429) return { state: 'wrong', name, found, fix: 'Wait a minute, and try again.' }
  if (status === 400)
    return { state: 'wrong', name, found, fix: 'Check the program’s ID in the tag.' }
  return {
    state: 'wrong',
    name,
    found,
    fix: 'Check that the installation is up, and that no proxy or policy stops the request.',
  }
}

const clickLines = ({ clicks, tags, blocked }: SiteFacts): Line[] => {
  if (clicks.length > 0) return clicks.map(clickLine)
  const name = 'Click'
  if (tags.some(({ consent }) => consent))
    return [
      {
        state: 'warning',
        name,
        found: 'not sent: the tag waits for consent',
        fix: 'Add --consent to see what happens when the visitor agrees.',
      },
    ]
  if (blocked.length > 0)
    return [
      {
        state: 'wrong',
        name,
        found: 'not sent: the page’s policy blocks it',
        fix: 'Allow it in connect-src: see docs/snippet.md.',
      },
    ]
  const fix = 'The snippet sends a click where it finds a slug: see above.'
  return [{ state: 'wrong', name, found: 'not sent', fix }]
}

const cookieLine = ({ cookie, clickId, clicks }: SiteFacts): Line => {
  const name = 'Cookie'
  if (cookie && clickId === cookie.value)
    return { state: 'ok', name, found: `tributary_click for ${cookie.domain}, ${cookie.days} days` }
  if (!clicks.some(({ status }) => status === 200))
    return { state: 'warning', name, found: 'none, because no click was recorded' }
  return {
    state: 'wrong',
    name,
    found: cookie ? `${cookie.value}, and the click is ${clickId}` : 'none',
    fix: 'Something removes or replaces the cookie tributary_click. Look for a consent tool that blocks it.',
  }
}

const filledLines = ({ fields, links, clickId }: SiteFacts): Line[] => {
  if (!clickId) return []
  const isFilled = fields.filled === fields.all
  return [
    {
      state: isFilled ? 'ok' : 'wrong',
      name: 'Form fields',
      found:
        fields.all === 0
          ? 'none on this page'
          : `${fields.filled} of ${fields.all} have the click ID`,
      ...(!isFilled && {
        fix: 'Leave the fields named tributary_click empty: one that has a value of its own is not replaced.',
      }),
    },
    {
      state: 'ok',
      name: 'Links',
      found: links === 0 ? 'none with the click ID on this page' : `${links} with the click ID`,
    },
  ]
}

const consentLines = ({ tags }: SiteFacts): Line[] =>
  tags.some(({ consent }) => consent)
    ? [{ state: 'ok', name: 'Consent', found: 'the tag waits for tributary.consent()' }]
    : []

const policyLine = ({ blocked }: SiteFacts): Line =>
  blocked.length === 0
    ? { state: 'ok', name: 'Policy', found: 'blocks nothing of the snippet' }
    : {
        state: 'wrong',
        name: 'Policy',
        found: `blocks ${blocked.join(', ')}`,
        fix: 'Allow it: docs/snippet.md, "Content Security Policy".',
      }

/**
 * The checks, in the order in which a visit goes. Those that depend on a failed one are left out.
 */
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
