import type { Child } from 'hono/jsx'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { Translate } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { type SearchResults, search } from '../../../lib/overview/search.queries.ts'
import { SearchQuery } from '../../../lib/overview/search.schemas.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import { KIND_NAMES } from '../../../lib/rules/steps/event-kinds.ts'
import { MAX_ID_LENGTH } from '../../../lib/values/external-ids.ts'

type Match = { href: string; title: string; detail: Child }
type Group = { heading: string; matches: Match[] }

/** The results by kind. A click has no page, so it links to its partner. */
const groupsOf = (
  t: Translate,
  base: string,
  { partners, customers, events, clicks, payouts }: SearchResults,
): Group[] =>
  [
    {
      heading: t(m.layout_group_partners),
      matches: partners.map(({ id, name, email, slug }) => ({
        href: `${base}/partners/${id}`,
        title: name ?? email,
        detail: `${email}, ${slug}`,
      })),
    },
    {
      heading: t(m.layout_customers),
      matches: customers.map(({ id, externalId, email, name }) => ({
        href: `${base}/customers/${id}`,
        title: externalId,
        detail: [name, email].filter(Boolean).join(', '),
      })),
    },
    {
      heading: t(m.nav_events),
      matches: events.map(({ id, kind, externalId, customerExternalId, occurredAt }) => ({
        href: `${base}/events/${id}`,
        title: `${KIND_NAMES[kind]} ${externalId}`,
        detail: (
          <>
            {customerExternalId}, <Time at={occurredAt} />
          </>
        ),
      })),
    },
    {
      heading: t(m.clicks),
      matches: clicks.map(({ id, partnerId, partnerName, partnerSlug, landingUrl, createdAt }) => ({
        href: `${base}/partners/${partnerId}`,
        title: id,
        detail: landingUrl
          ? t(m.layout_click_to, {
              partner: partnerName ?? partnerSlug,
              landingUrl,
              time: () => <Time at={createdAt} />,
            })
          : t(m.layout_click, {
              partner: partnerName ?? partnerSlug,
              time: () => <Time at={createdAt} />,
            }),
      })),
    },
    {
      heading: t(m.nav_payouts),
      matches: payouts.map(({ reference, runId, partnerName, partnerSlug, createdAt }) => ({
        href: `${base}/payouts/runs/${runId}`,
        title: reference,
        detail: t(m.layout_payout_to, {
          partner: partnerName ?? partnerSlug,
          time: () => <Time at={createdAt} />,
        }),
      })),
    },
  ].filter(({ matches }) => matches.length > 0)

const SearchPage = ({ path, text, groups }: { path: string; text: string; groups: Group[] }) => (
  <>
    <h1>{t(m.layout_search)}</h1>
    <search>
      <form class="inline" method="get" action={path}>
        <Field
          label={t(m.layout_name_email_address)}
          name="q"
          type="search"
          value={text}
          maxlength={MAX_ID_LENGTH}
        />
        <button type="submit">{t(m.layout_search)}</button>
      </form>
    </search>
    {text !== '' && groups.length === 0 && (
      <p class="empty">{t(m.layout_nothing_matches_partners, { text })}</p>
    )}
    {groups.map(({ heading, matches }) => (
      <section aria-label={heading}>
        <h2>{heading}</h2>
        <ul class="matches">
          {matches.map(({ href, title, detail }) => (
            <li>
              <a href={href}>{title}</a> <span class="hint">{detail}</span>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
)

/** /app/:workspace/search?q=: redirects to a single match, and lists several. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/search', async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data } = readFilters(c, SearchQuery)
  const groups = data?.q ? groupsOf(textsOf(c), base, await search(db, workspace.id, data.q)) : []

  const [only, ...others] = groups.flatMap(({ matches }) => matches)
  if (only && others.length === 0) return c.redirect(only.href, 303)
  const children = (
    <SearchPage path={`${base}/search`} text={fields.q?.trim() ?? ''} groups={groups} />
  )
  return renderPage(c, { title: m.layout_search, children })
})
