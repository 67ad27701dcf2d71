/** Components that the portal's pages share. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { Brand } from '../brand/brand.ts'
import { Merchant } from './brand.tsx'
import { Select } from './fields.tsx'
import { renderPage } from './render.tsx'

/** The portal's pages, in navigation order. */
const PAGES = [
  { path: '/portal', label: 'Overview' },
  { path: '/portal/links', label: 'Links' },
  { path: '/portal/commissions', label: 'Commissions' },
  { path: '/portal/events', label: 'Sales and leads' },
  { path: '/portal/payouts', label: 'Payouts' },
  { path: '/portal/documents', label: 'Documents' },
] as const

const Navigation = ({ at }: { at: string }) => (
  <nav class="sections" aria-label="Partner portal">
    <ul>
      {PAGES.map(({ path, label }) => (
        <li>
          <a href={path} aria-current={path === at ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type PortalPage = {
  title: string
  at: (typeof PAGES)[number]['path']
  /** The brands of the programs on the page. */
  brands?: readonly Brand[]
  /** The class of the main content. */
  mainClass?: string | undefined
  children: Child
}

/** Renders a page of the portal. @param page `at` is its section */
export const renderPortal = (c: Context, { at, ...page }: PortalPage, status: 200 | 400 | 409 = 200) =>
  renderPage(
    c,
    { ...page, home: '/portal', navigation: <Navigation at={at} />, styles: ['/portal.css'] },
    status,
  )

/** A filter by program, for partners with more than one. */
export const ProgramFilter = ({
  programs,
  selected,
  path,
  hasAll = true,
}: {
  programs: { id: string; name: string }[]
  selected: string | undefined
  path: string
  /** Whether the page can show all programs together. */
  hasAll?: boolean
}) => {
  if (programs.length < 2) return null
  const all = hasAll ? [{ value: '', label: 'All programs' }] : []
  return (
    <search>
      <form class="filters" method="get" action={path}>
        <Select
          label="Program"
          name="program"
          value={selected}
          options={[...all, ...programs.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <button type="submit" class="quiet">
          Show
        </button>
      </form>
    </search>
  )
}

/** A row's program. Merchants choose the name: it may be long, or written right to left. */
export const ProgramName = ({ name }: { name: string }) => (
  <td class="name">
    <bdi>{name}</bdi>
  </td>
)

/** Why a banned partner has no link to copy, and whom to ask. */
export const NotActive = ({ contact }: { contact: string | null }) => (
  <p class="problem">
    You are no longer active in this program, and your links do not work. If you think that this is a mistake,
    ask <Merchant at={[contact]} />.
  </p>
)

/** What somebody can do who is signed in, and no partner. */
export const NoPrograms = ({ email }: { email: string }) => (
  <div class="empty">
    <p>{email} is not a partner of any program yet.</p>
    <ul>
      <li>If you joined a program with another email address, sign out, and sign in with that one.</li>
      <li>
        To join a program, open the merchant’s page for partners, and choose “Apply”. Its address is on the
        merchant’s site, or the merchant can send it to you.
      </li>
      <li>
        If you run a program yourself, go to <a href="/app">your workspaces</a>.
      </li>
    </ul>
  </div>
)

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day, which says its zone. */
export const Day = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString().slice(0, 10)}>{DAY.format(at)} (UTC)</time>
)
