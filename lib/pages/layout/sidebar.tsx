/** The side bar of a workspace's pages. On a phone it is a bar at the top with a menu. */

import { mayRead } from '../../auth/roles/roles.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'
import { LinkButton } from '../forms/buttons.tsx'
import { t } from './text.ts'

/**
 * An icon of public/icons.svg, as tall as the text beside it. Screen readers skip it, because its
 * link or button has text.
 */
const Icon = ({ name }: { name: string }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`/icons.svg#${name}`} />
  </svg>
)

/** The sections of a workspace, in groups that follow a manager's work. */
const GROUPS = [
  {
    id: undefined,
    label: null,
    sections: [{ path: '', label: m.nav_overview, icon: 'overview' }],
  },
  {
    id: 'group-partners',
    label: m.layout_group_partners,
    sections: [
      { path: '/partners', label: m.layout_partners, icon: 'partners' },
      { path: '/applications', label: m.layout_applications, icon: 'applications' },
      { path: '/import', label: m.layout_import, icon: 'import' },
    ],
  },
  {
    id: 'group-activity',
    label: m.activity,
    sections: [
      { path: '/events', label: m.nav_events, icon: 'events' },
      { path: '/uncredited', label: m.layout_uncredited, icon: 'uncredited' },
      { path: '/customers', label: m.layout_customers, icon: 'customers' },
      { path: '/commissions', label: m.nav_commissions, icon: 'commissions' },
      { path: '/payouts', label: m.nav_payouts, icon: 'payouts' },
    ],
  },
  {
    id: 'group-setup',
    label: m.layout_group_setup,
    sections: [
      { path: '/programs', label: m.layout_programs, icon: 'programs' },
      { path: '/stripe', label: m.layout_stripe, icon: 'stripe' },
      { path: '/api-keys', label: m.layout_keys, icon: 'keys' },
      { path: '/webhooks', label: m.layout_webhooks, icon: 'webhooks' },
    ],
  },
  {
    id: 'group-workspace',
    label: m.layout_group_workspace,
    sections: [
      { path: '/members', label: m.layout_members, icon: 'members' },
      { path: '/mails', label: m.layout_mails, icon: 'mails' },
      { path: '/audit', label: m.layout_audit, icon: 'audit' },
      { path: '/settings', label: m.layout_settings, icon: 'settings' },
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
      {t(m.layout_menu)}
    </button>
    {/* A menu on a phone, and always in view on wider screens: see app.css. */}
    <nav id="sections" popover="auto" aria-label={workspace.name}>
      <a class="workspace" href="/app" title={t(m.layout_all_workspaces)}>
        <span>{workspace.name}</span>
        {workspace.mode === 'test' && <small class="status">{t(m.layout_test_mode)}</small>}
        <Icon name="switch" />
      </a>
      <search>
        <form method="get" action={`/app/${workspace.slug}/search`}>
          <Icon name="search" />
          <input
            type="search"
            name="q"
            maxlength={MAX_ID_LENGTH}
            aria-label={t(m.layout_search)}
            placeholder={t(m.layout_search)}
          />
          <kbd hidden>/</kbd>
        </form>
      </search>
      {GROUPS.map((group) => (
        <Group
          id={group.id}
          label={group.label}
          sections={group.sections.filter(({ path }) => mayRead(workspace, path))}
          base={`/app/${workspace.slug}`}
          current={section}
        />
      ))}
      {user && <Account email={user.email} />}
    </nav>
  </header>
)

type GroupProps = {
  /** The id of the label. */
  id: string | undefined
  label: Message | null
  sections: { path: Section; label: Message; icon: string }[]
  base: string
  current: Section | undefined
}

const Group = ({ id, label, sections, base, current }: GroupProps) => {
  if (sections.length === 0) return null
  return (
    <>
      {label && <p id={id}>{t(label)}</p>}
      <ul aria-labelledby={id}>
        {sections.map(({ path, label, icon }) => (
          <li>
            <a href={base + path} aria-current={path === current ? 'page' : undefined}>
              <Icon name={icon} />
              {t(label)}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The signed-in user's address, sessions, and the sign-out button. */
export const Account = ({ email }: { email: string }) => (
  <form class="account" method="post" action="/auth/sign-out">
    <span title={email}>
      <a href="/auth/accounts">{email}</a>
    </span>
    <a href="/auth/sessions">{t(m.sessions_link)}</a>
    <a href="/auth/passkeys">{t(m.passkeys_title)}</a>
    <LinkButton>{t(m.sign_out)}</LinkButton>
  </form>
)
