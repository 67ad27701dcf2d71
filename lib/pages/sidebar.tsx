/** The side bar of a workspace's pages. On a phone it is a bar at the top, and its links are a menu. */

import { MAX_ID_LENGTH } from '../http/fields.ts'
import * as m from '../languages/messages.ts'
import type { Workspace } from '../workspace/workspaces.queries.ts'
import { Icon } from './icon.tsx'
import { t } from './text.ts'

/** The sections of a workspace, grouped as a manager's work is. */
const GROUPS = [
  {
    label: null,
    sections: [{ path: '', label: 'Overview', icon: 'overview', managers: false }],
  },
  {
    label: 'Partners',
    sections: [
      { path: '/partners', label: 'Partners', icon: 'partners', managers: false },
      { path: '/applications', label: 'Applications', icon: 'applications', managers: false },
      { path: '/import', label: 'Import', icon: 'import', managers: true },
    ],
  },
  {
    label: 'Activity',
    sections: [
      { path: '/events', label: 'Sales and leads', icon: 'events', managers: false },
      { path: '/uncredited', label: 'Not credited', icon: 'uncredited', managers: false },
      { path: '/customers', label: 'Customers', icon: 'customers', managers: false },
      { path: '/commissions', label: 'Commissions', icon: 'commissions', managers: false },
      { path: '/payouts', label: 'Payouts', icon: 'payouts', managers: false },
    ],
  },
  {
    label: 'Setup',
    sections: [
      { path: '/programs', label: 'Programs', icon: 'programs', managers: false },
      { path: '/stripe', label: 'Stripe', icon: 'stripe', managers: true },
      { path: '/api-keys', label: 'API keys', icon: 'keys', managers: true },
      { path: '/webhooks', label: 'Webhooks', icon: 'webhooks', managers: true },
    ],
  },
  {
    label: 'Workspace',
    sections: [
      { path: '/members', label: 'Members', icon: 'members', managers: true },
      { path: '/mails', label: 'Emails', icon: 'mails', managers: true },
      { path: '/audit', label: 'Audit log', icon: 'audit', managers: true },
      { path: '/settings', label: 'Settings', icon: 'settings', managers: true },
    ],
  },
] as const

/** The path of a section below the workspace's path. */
export type Section = (typeof GROUPS)[number]['sections'][number]['path']

type Props = {
  workspace: Workspace
  section: Section | undefined
  user: { email: string } | undefined
}

/** The logo, the workspace, its sections, and the signed-in user. */
export const SideBar = ({ workspace, section, user }: Props) => (
  <header class="side">
    <a class="brand" href="/app">
      <img src="/icon.svg" alt="" width="22" height="22" />
      Tributary
    </a>
    <button type="button" class="quiet menu" popovertarget="sections">
      <Icon name="menu" />
      Menu
    </button>
    {/* A menu on a phone, and always in view where there is room: see app.css. */}
    <nav id="sections" popover="auto" aria-label={workspace.name}>
      <a class="workspace" href="/app" title="All workspaces">
        <span>{workspace.name}</span>
        {workspace.mode === 'test' && <small class="status">Test</small>}
        <Icon name="switch" />
      </a>
      <search>
        <form method="get" action={`/app/${workspace.slug}/search`}>
          <Icon name="search" />
          <input type="search" name="q" maxlength={MAX_ID_LENGTH} aria-label="Search" placeholder="Search" />
          <kbd hidden>/</kbd>
        </form>
      </search>
      {GROUPS.map((group) => (
        <Group
          label={group.label}
          sections={group.sections.filter(({ managers }) => !managers || workspace.role === 'manager')}
          base={`/app/${workspace.slug}`}
          current={section}
        />
      ))}
      {user && <Account email={user.email} />}
    </nav>
  </header>
)

const Group = ({
  label,
  sections,
  base,
  current,
}: {
  label: string | null
  sections: { path: Section; label: string; icon: string }[]
  base: string
  current: Section | undefined
}) => {
  if (sections.length === 0) return null
  return (
    <>
      {label && <p id={`group-${label}`}>{label}</p>}
      <ul aria-labelledby={label ? `group-${label}` : undefined}>
        {sections.map(({ path, label, icon }) => (
          <li>
            <a href={base + path} aria-current={path === current ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The signed-in user's address, sessions, and the button that signs out. */
export const Account = ({ email }: { email: string }) => (
  <form class="account" method="post" action="/auth/sign-out">
    <span title={email}>
      <a href="/auth/accounts">{email}</a>
    </span>
    <a href="/auth/sessions">{t(m.sessions_link)}</a>
    <button type="submit" class="link">
      {t(m.sign_out)}
    </button>
  </form>
)
