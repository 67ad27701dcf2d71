/** Components that the portal's pages share. */

import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { Brand } from '../../brand/brand.ts'
import * as m from '../../languages/messages.ts'
import { QuietButton } from '../forms/buttons.tsx'
import { Select } from '../forms/fields.tsx'
import { linkTo } from '../parts/tags.tsx'
import { merchantAt } from './brand.tsx'
import { renderPage } from './render.tsx'
import { type Shown, t } from './text.ts'

/** The portal's pages, in navigation order. */
const PAGES = [
  { path: '/portal', label: m.nav_overview },
  { path: '/portal/links', label: m.nav_links },
  { path: '/portal/commissions', label: m.nav_commissions },
  { path: '/portal/events', label: m.nav_events },
  { path: '/portal/payouts', label: m.nav_payouts },
  { path: '/portal/documents', label: m.nav_documents },
] as const

const Navigation = ({ at }: { at: string }) => (
  <nav class="sections" aria-label={t(m.portal_title)}>
    <ul>
      {PAGES.map(({ path, label }) => (
        <li>
          <a href={path} aria-current={path === at ? 'page' : undefined}>
            {t(label)}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type PortalPage = {
  title: Shown
  /** The section; by default, the overview. */
  at?: (typeof PAGES)[number]['path']
  /** The brands of the programs on the page. */
  brands?: readonly Brand[]
  /** The class of the main content. */
  mainClass?: string | undefined
  scripts?: string[]
  children: Child
}

/** Renders a page of the portal. */
export const renderPortal = (
  c: Context,
  { at = '/portal', ...page }: PortalPage,
  status: 200 | 400 | 403 | 409 = 200,
) =>
  renderPage(
    c,
    { ...page, home: '/portal', navigation: <Navigation at={at} />, styles: ['/portal.css'] },
    status,
  )

type ProgramFilterProps = {
  programs: { id: string; name: string }[]
  selected: string | undefined
  path: string
  /** Whether the page can show all programs together. */
  hasAll?: boolean
}

/** A filter by program, for partners with more than one. */
export const ProgramFilter = ({ programs, selected, path, hasAll = true }: ProgramFilterProps) => {
  if (programs.length < 2) return null
  const all = hasAll ? [{ value: '', label: t(m.all_programs) }] : []
  return (
    <search>
      <form class="filters" method="get" action={path}>
        <Select
          label={t(m.program)}
          name="program"
          value={selected}
          options={[...all, ...programs.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <QuietButton>{t(m.show)}</QuietButton>
      </form>
    </search>
  )
}

/** A row's program. Merchants choose the name, which may be long or written right to left. */
export const ProgramName = ({ name }: { name: string }) => (
  <td class="name">
    <bdi>{name}</bdi>
  </td>
)

/** Why a banned partner has no link to copy, and the address for questions. */
export const NotActive = ({ contact }: { contact: string | null }) => (
  <p class="problem">{t(m.not_active, { merchant: merchantAt(contact) })}</p>
)

/** What a signed-in person without a program can do. */
export const NoPrograms = ({ email }: { email: string }) => (
  <div class="empty">
    <p>{t(m.no_programs, { email })}</p>
    <ul>
      <li>{t(m.no_programs_other_address)}</li>
      <li>{t(m.no_programs_join)}</li>
      <li>{t(m.no_programs_own, { link: linkTo('/app') })}</li>
    </ul>
  </div>
)

/** A day, with its time zone. */
export const Day = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString().slice(0, 10)}>{t(m.day_in_utc, { day: at })}</time>
)
