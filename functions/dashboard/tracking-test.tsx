/** The page "Test your tracking" of a program. */

import type { Child } from 'hono/jsx'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { form } from '../../lib/http/validate.ts'
import { figure } from '../../lib/pages/money.tsx'
import { Copyable, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { partnerLink } from '../../lib/slugs.ts'
import { readTrackingFacts } from '../../lib/tracking/tracking-check.queries.ts'
import {
  type CheckedStep,
  checkTracking,
  isOnSite,
  type LastEvent,
  newestOf,
  type RefusedVisits,
  type TrackingFacts,
} from '../../lib/tracking/tracking-check.ts'
import { createTestPartner } from '../../lib/workspace/new-partner.queries.ts'
import { findProgram, type Program } from '../../lib/workspace/programs.queries.ts'

type Props = { base: string; program: Program; facts: TrackingFacts; isManager: boolean }

const EventLink = ({ base, event }: { base: string; event: LastEvent }) => (
  <>
    <a href={`${base}/events/${event.id}`}>{event.externalId}</a>, <Time at={event.occurredAt} />
  </>
)

const SNIPPET = '/docs/snippet'

/** What a step is about, and what it has seen or what to do. */
const wordsOf = (checked: CheckedStep, { base, program, facts }: Props): { label: string; text: Child } => {
  const { lastVisit, otherVisits, events, refused } = facts
  const host = new URL(program.siteUrl).host
  const lead = newestOf(events, { kind: 'lead', hasClick: true })
  const sale = newestOf(events, { kind: 'sale', hasClick: true })
  const lost = newestOf(events, { kind: 'sale', hasClick: false })
  const earned = newestOf(events, { hasClick: true, hasCommission: true })
  const withoutClick = lost && (
    <>
      The sale <EventLink base={base} event={lost} /> came without a click ID. Read the cookie{' '}
      <code>tributary_click</code> when the order is placed, keep it with the order, and send it as{' '}
      <code>clickId</code>. <a href="/docs/guide-test-your-integration">Test your integration</a>
    </>
  )
  switch (checked.step) {
    case 'snippet':
      return {
        label: 'Your site loads the snippet',
        text: checked.isDone ? (
          'A browser has sent a visit.'
        ) : (
          <>
            Nothing has arrived yet. Add the <a href={`${base}/programs/${program.id}#snippet`}>snippet</a> to
            every page, then open the link above. If it is there, open your site with{' '}
            <code>?tributary_debug</code> in its address: a panel says what the snippet does.{' '}
            <a href={`${SNIPPET}#content-security-policy`}>A content security policy</a> may block it.
          </>
        ),
      }
    case 'program': {
      const other = otherVisits.find(({ page }) => page && isOnSite(page, program.siteUrl))
      return {
        label: 'The tag names this program',
        text:
          checked.problem === 'other_program' ? (
            <>
              Visits on {host} arrive for the program{' '}
              <a href={`${base}/programs/${other?.programId}/test`}>{other?.name}</a>. Use this program’s tag,
              or name both programs in it.
            </>
          ) : checked.problem === 'other_site' ? (
            <>
              The last visit was on {lastVisit?.page ?? refused[0]?.page}, and the site of the program is{' '}
              {host}.
            </>
          ) : (
            'Its data-program is the ID of this program.'
          ),
      }
    }
    case 'click':
      return {
        label: 'A visit through a partner’s link is recorded',
        text: lastVisit ? (
          <>
            The last one was by <code>{lastVisit.slug}</code> on {lastVisit.page ?? 'an unknown page'},{' '}
            <Time at={lastVisit.at} />.
          </>
        ) : refused.length > 0 ? (
          'Visits were refused: see below.'
        ) : (
          'Open the link above.'
        ),
      }
    case 'cookie':
      return {
        label: 'The browser keeps the click ID',
        text: checked.isDone ? (
          'It came back with a later visit or report.'
        ) : (
          <>
            Open the link a second time in the same browser. If this stays open, the browser refuses cookies,
            or <code>consent()</code> was not called. <a href={`${SNIPPET}#consent`}>Consent</a>
          </>
        ),
      }
    case 'lead':
      return {
        label: 'A lead arrives with the click ID (optional)',
        text: lead ? (
          <EventLink base={base} event={lead} />
        ) : (
          'Sign up on your site after the visit. Leave it out if you report no leads.'
        ),
      }
    case 'sale':
      return {
        label: 'A sale arrives with the click ID',
        text: sale ? (
          <EventLink base={base} event={sale} />
        ) : (
          (withoutClick ?? 'Buy something on your site after the visit, with a test card for example.')
        ),
      }
    case 'commission':
      return {
        label: 'It earns a commission',
        text: earned ? (
          <EventLink base={base} event={earned} />
        ) : sale ? (
          <>
            The page of the sale <a href={`${base}/events/${sale.id}`}>{sale.externalId}</a> says why it
            earned none.
          </>
        ) : (
          'Complete when the first sale with a click earns.'
        ),
      }
  }
}

const Steps = (props: Props) => (
  <ul class="checklist" aria-live="polite">
    {checkTracking(props.facts, props.program.siteUrl).map((checked) => {
      const { label, text } = wordsOf(checked, props)
      const isProblem = 'problem' in checked && checked.problem !== null && !checked.isDone
      return (
        <li aria-atomic="true">
          <span class="status" data-status={checked.isDone ? 'approved' : isProblem ? 'failed' : 'open'}>
            {checked.isDone ? 'Done' : isProblem ? 'Problem' : 'To do'}
          </span>
          <span>
            <strong>{label}.</strong> {text}
          </span>
        </li>
      )
    })}
  </ul>
)

const reasonOf = ({
  base,
  visits: { reason, partnerId, slug },
}: {
  base: string
  visits: RefusedVisits
}): Child => {
  if (reason === 'rate_limited') return 'Too many visits from one address (429).'
  if (reason === 'invalid_body')
    return 'The request was not valid (400). Does something else than the snippet send it?'
  if (partnerId)
    return (
      <>
        The <a href={`${base}/partners/${partnerId}`}>partner</a> with this slug is not active (404).
      </>
    )
  return slug === ''
    ? 'No partner has the slug (404).'
    : 'No partner has this slug (404). Is it spelled right?'
}

const Refused = ({ base, facts }: Props) =>
  facts.refused.length === 0 ? (
    <p class="empty">No visit was refused in the last 7 days.</p>
  ) : (
    <Table caption="Refused visits" head={['Last', 'Slug', 'Page', { number: 'Visits' }, 'Reason']}>
      {facts.refused.map((visits) => (
        <tr>
          <td>
            <Time at={visits.lastAt} />
          </td>
          <td class="id">
            <code>{visits.slug || 'others'}</code>
          </td>
          <td>
            <code>{visits.page || 'others'}</code>
          </td>
          <td class="number">{figure(visits.visits)}</td>
          <td class="words">{reasonOf({ base, visits })}</td>
        </tr>
      ))}
    </Table>
  )

/** The link to open, and the partner for tests. */
const TestLink = ({ base, program, facts: { partner }, isManager }: Props) => (
  <>
    {partner && (
      <>
        <p>
          Open this link in a private window, and follow it to a purchase. The steps are ticked as they
          happen.{' '}
          {partner.isTest && (
            <>
              It is of the <a href={`${base}/partners/${partner.id}`}>test partner</a>, whose clicks, sales
              and commissions are recorded as all others, and never paid.
            </>
          )}
        </p>
        <Copyable label="the link" text={partnerLink(program.siteUrl, partner.slug)} />
      </>
    )}
    {!partner?.isTest && isManager && (
      <form method="post" action={`${base}/programs/${program.id}/test`}>
        <p class="hint">
          Visits are recorded through partners’ links. A test partner has one whose sales are never paid.
        </p>
        <button type="submit" class="quiet">
          Add a test partner
        </button>
      </form>
    )}
    {!partner && !isManager && (
      <p>Visits are recorded through partners’ links. Ask a manager to add a partner.</p>
    )}
  </>
)

const TestPage = (props: Props) => {
  const { base, program } = props
  return (
    <>
      <p>
        <a href={`${base}/programs/${program.id}`}>{program.name}</a>
      </p>
      <h1>Test your tracking</h1>
      <TestLink {...props} />
      <Steps {...props} />
      <h2 id="refused">Refused visits</h2>
      <p class="hint">Of the last 7 days. Of many at once, some are not counted.</p>
      <Refused {...props} />
    </>
  )
}

const PATH = '/app/:workspace/programs/:id/test'

/**
 * /app/:workspace/programs/:id/test: which steps from the first visit to the first commission have been seen, and what is wrong. A POST
 * adds the program's test partner.
 */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const { db, now, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const facts = await readTrackingFacts(db, workspace.id, program.id, now)
    const isManager = workspace.role === 'manager'
    const children = <TestPage base={`/app/${workspace.slug}`} {...{ program, facts, isManager }} />
    return renderPage(c, { title: 'Test your tracking', section: '/programs', children })
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    await createTestPartner(db, actOf(c), program.id)
    return c.redirect(`/app/${workspace.slug}/programs/${program.id}/test`, 303)
  })
