import type { Child } from 'hono/jsx'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { Copyable, LinkLine, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { code, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { createTestPartner } from '../../../lib/partners/changes/new-partner.queries.ts'
import { findProgram, type Program } from '../../../lib/programs/programs.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { readTrackingFacts } from '../../../lib/tracking/checks/tracking-check.queries.ts'
import {
  type CheckedStep,
  checkTracking,
  isOnSite,
  type LastEvent,
  newestOf,
  type RefusedVisits,
  type TrackingFacts,
} from '../../../lib/tracking/checks/tracking-check.ts'
import { partnerLink } from '../../../lib/values/slugs.ts'

type Props = { base: string; program: Program; facts: TrackingFacts; mayAdd: boolean }

const EventLink = ({ base, event }: { base: string; event: LastEvent }) => (
  <>
    <a href={`${base}/events/${event.id}`}>{event.externalId}</a>, <Time at={event.occurredAt} />
  </>
)

const SNIPPET = '/docs/snippet'

/** A step's title, and what was recorded or what to do. */
const wordsOf = (
  checked: CheckedStep,
  { base, program, facts }: Props,
): { label: string; text: Child } => {
  const { lastVisit, otherVisits, events, refused } = facts
  const host = new URL(program.siteUrl).host
  const lead = newestOf(events, { kind: 'lead', hasClick: true })
  const sale = newestOf(events, { kind: 'sale', hasClick: true })
  const lost = newestOf(events, { kind: 'sale', hasClick: false })
  const earned = newestOf(events, { hasClick: true, hasCommission: true })
  const withoutClick =
    lost &&
    t(m.programs_sale_came_without, {
      eventLink: () => <EventLink base={base} event={lost} />,
      code,
      link: linkTo('/docs/guide-test-your-integration'),
    })
  switch (checked.step) {
    case 'snippet':
      return {
        label: t(m.programs_site_loads_snippet),
        text: checked.isDone
          ? t(m.programs_browser_sent_visit)
          : t(m.programs_nothing_arrived_yet, {
              link: linkTo(`${base}/programs/${program.id}#snippet`),
              code,
              content: linkTo(`${SNIPPET}#content-security-policy`),
            }),
      }
    case 'program': {
      const other = otherVisits.find(({ page }) => page && isOnSite(page, program.siteUrl))
      return {
        label: t(m.programs_tag_names_program),
        text:
          checked.problem === 'other_program'
            ? t(m.programs_visits_arrive_program, {
                host,
                name: other?.name,
                link: linkTo(`${base}/programs/${other?.programId}/test`),
              })
            : checked.problem === 'other_site'
              ? t(m.programs_last_visit_elsewhere, {
                  page: lastVisit?.page ?? refused[0]?.page ?? '',
                  host,
                })
              : t(m.programs_data_program_id),
      }
    }
    case 'click':
      return {
        label: t(m.programs_visit_through_partners),
        text: lastVisit
          ? t(m.programs_last_one, {
              slug: lastVisit.slug,
              code,
              page: lastVisit.page ?? t(m.programs_an_unknown_page),
              time: () => <Time at={lastVisit.at} />,
            })
          : refused.length > 0
            ? t(m.programs_visits_refused_see)
            : t(m.programs_open_link_above),
      }
    case 'cookie':
      return {
        label: t(m.programs_browser_keeps_click),
        text: checked.isDone
          ? t(m.programs_came_back_later)
          : t(m.programs_open_link_second, { code, link: linkTo(`${SNIPPET}#consent`) }),
      }
    case 'lead':
      return {
        label: t(m.programs_lead_arrives_click),
        text: lead ? <EventLink base={base} event={lead} /> : t(m.programs_sign_up_site),
      }
    case 'sale':
      return {
        label: t(m.programs_sale_arrives_click),
        text: sale ? (
          <EventLink base={base} event={sale} />
        ) : (
          (withoutClick ?? t(m.programs_buy_something_site))
        ),
      }
    case 'commission':
      return {
        label: t(m.programs_earns_commission),
        text: earned ? (
          <EventLink base={base} event={earned} />
        ) : sale ? (
          t(m.programs_page_sale_says, {
            externalId: sale.externalId,
            link: linkTo(`${base}/events/${sale.id}`),
          })
        ) : (
          t(m.programs_complete_first_sale)
        ),
      }
  }
}

const Steps = (props: Props) => (
  <ul class="checklist" aria-live="polite" data-done={t(m.layout_done)}>
    {checkTracking(props.facts, props.program.siteUrl).map((checked) => {
      const { label, text } = wordsOf(checked, props)
      const isProblem = 'problem' in checked && checked.problem !== null && !checked.isDone
      return (
        <li aria-atomic="true">
          <span
            class="status"
            data-status={checked.isDone ? 'approved' : isProblem ? 'failed' : 'open'}
          >
            {checked.isDone
              ? t(m.layout_done)
              : isProblem
                ? t(m.programs_problem)
                : t(m.layout_to_do)}
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
  if (reason === 'rate_limited') return t(m.programs_too_many_visits)
  if (reason === 'invalid_body') return t(m.programs_request_not_valid)
  if (partnerId)
    return <>{t(m.programs_partner_slug_not, { link: linkTo(`${base}/partners/${partnerId}`) })}</>
  return slug === '' ? t(m.programs_no_partner_slug) : t(m.programs_slug_unknown)
}

const Refused = ({ base, facts }: Props) =>
  facts.refused.length === 0 ? (
    <p class="empty">{t(m.programs_no_visit_refused)}</p>
  ) : (
    <Table
      caption={t(m.programs_refused_visits)}
      head={[
        t(m.programs_last),
        t(m.slug),
        t(m.page_field),
        { number: t(m.programs_visits) },
        t(m.layout_reason),
      ]}
    >
      {facts.refused.map((visits) => (
        <tr>
          <TimeCell at={visits.lastAt} />
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

/** The link to open, and the test partner. */
const TestLink = ({ base, program, facts: { partner }, mayAdd }: Props) => (
  <>
    {partner && (
      <>
        <p>
          {partner.isTest
            ? t(m.programs_open_test_link, { link: linkTo(`${base}/partners/${partner.id}`) })
            : t(m.programs_open_link_private)}
        </p>
        <Copyable
          label={t(m.programs_the_link)}
          text={partnerLink(program.siteUrl, partner.slug)}
        />
      </>
    )}
    {!partner?.isTest && mayAdd && (
      <form method="post" action={`${base}/programs/${program.id}/test`}>
        <p class="hint">{t(m.programs_visits_recorded_through)}</p>
        <QuietButton>{t(m.programs_add_test_partner)}</QuietButton>
      </form>
    )}
    {!partner && !mayAdd && <p>{t(m.programs_ask_for_partner)}</p>}
  </>
)

const TestPage = (props: Props) => {
  const { base, program } = props
  return (
    <>
      <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
      <h1>{t(m.programs_test_your_tracking)}</h1>
      <TestLink {...props} />
      <Steps {...props} />
      <h2 id="refused">{t(m.programs_refused_visits)}</h2>
      <p class="hint">{t(m.programs_last_7_days)}</p>
      <Refused {...props} />
    </>
  )
}

const PATH = '/app/:workspace/programs/:id/test'

/**
 * /app/:workspace/programs/:id/test: the steps from the first visit to the first commission. A POST
 * adds the test partner.
 */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const { db, now, workspace } = c.var
    const program = await readById(c, 'program', findProgram)
    const facts = await readTrackingFacts(db, workspace.id, program.id, now)
    const mayAdd = mayOpen(workspace, 'POST /programs/:id/test')
    const children = <TestPage base={`/app/${workspace.slug}`} {...{ program, facts, mayAdd }} />
    return renderSection(c, '/programs', m.programs_test_your_tracking, children)
  })
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const program = await readById(c, 'program', findProgram)
    await createTestPartner(db, actOf(c), program.id)
    return c.redirect(`/app/${workspace.slug}/programs/${program.id}/test`, 303)
  })
