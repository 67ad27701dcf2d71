/** The layout of every page: head, header, navigation and main content. */
import type { Child } from 'hono/jsx'
import type { Workspace } from '../workspace/workspaces.queries.ts'

/** The sections of a workspace, in navigation order. */
const SECTIONS = [
  { path: '', label: 'Overview', managers: false },
  { path: '/programs', label: 'Programs', managers: false },
  { path: '/partners', label: 'Partners', managers: false },
  { path: '/import', label: 'Import', managers: true },
  { path: '/events', label: 'Events', managers: false },
  { path: '/commissions', label: 'Commissions', managers: false },
  { path: '/customers', label: 'Customers', managers: false },
  { path: '/payouts', label: 'Payouts', managers: false },
  { path: '/api-keys', label: 'API keys', managers: true },
  { path: '/stripe', label: 'Stripe', managers: true },
  { path: '/webhooks', label: 'Webhooks', managers: true },
  { path: '/members', label: 'Members', managers: true },
  { path: '/settings', label: 'Settings', managers: true },
  { path: '/mails', label: 'Emails', managers: true },
  { path: '/audit', label: 'Audit log', managers: true },
] as const

/** The path of a section below the workspace's path. */
type Section = (typeof SECTIONS)[number]['path']

export type LayoutProps = {
  title: string
  /** The signed-in user. */
  user?: { email: string } | undefined
  /** The page's workspace, and its section there. */
  workspace?: Workspace | undefined
  section?: Section | undefined
  /** Replaces the workspace navigation; `home` is then the link of the logo. */
  navigation?: Child
  home?: string | undefined
  /** Paths of extra stylesheets and scripts. */
  styles?: string[] | undefined
  scripts?: string[] | undefined
  children?: Child
}

/** A complete page. It loads only our own files: see the policy in lib/pages/render.tsx. */
export const Layout = ({
  title,
  user,
  workspace,
  section,
  navigation,
  home = '/app',
  styles = [],
  scripts = [],
  children,
}: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{[title, workspace?.name, 'Tributary'].filter(Boolean).join(' · ')}</title>
      <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      {['/app.css', ...styles].map((href) => (
        <link rel="stylesheet" href={href} />
      ))}
      {['/app.js', ...scripts].map((src) => (
        <script type="module" src={src}></script>
      ))}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="site">
        <a class="brand" href={home}>
          <img src="/icon.svg" alt="" width="24" height="24" />
          Tributary
        </a>
        {workspace && (
          <a class="workspace" href={`/app/${workspace.slug}`}>
            {workspace.name}
          </a>
        )}
        {user && (
          <form class="account" method="post" action="/auth/sign-out">
            <span>{user.email}</span>
            <a href="/auth/sessions">Sessions</a>
            <button type="submit" class="link">
              Sign out
            </button>
          </form>
        )}
      </header>
      {workspace && <Navigation workspace={workspace} section={section} />}
      {navigation}
      <main id="main" tabindex={-1}>
        {children}
      </main>
    </body>
  </html>
)

const Navigation = ({ workspace, section }: { workspace: Workspace; section: Section | undefined }) => (
  <nav class="sections" aria-label={workspace.name}>
    <ul>
      {SECTIONS.filter(({ managers }) => !managers || workspace.role === 'manager').map(({ path, label }) => (
        <li>
          <a href={`/app/${workspace.slug}${path}`} aria-current={path === section ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
