/** The layout of every page: head, header or side bar, and main content. */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { Workspace } from '../workspace/workspaces.queries.ts'
import { Account, type Section, SideBar } from './sidebar.tsx'

export type LayoutProps = {
  title: string
  /** The signed-in user. */
  user?: { email: string } | undefined
  /** The page's workspace, and its section there. */
  workspace?: Workspace | undefined
  section?: Section | undefined
  /** The navigation of pages outside a workspace, and the link of their logo. */
  navigation?: Child
  home?: string | undefined
  /** Paths of extra stylesheets and scripts. */
  styles?: string[] | undefined
  scripts?: string[] | undefined
  /** Rules of this page alone. */
  style?: { rules: string; nonce: string } | undefined
  /** The class of the main content. */
  mainClass?: string | undefined
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
  style,
  mainClass,
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
      {style && <style nonce={style.nonce}>{raw(style.rules)}</style>}
      {['/app.js', ...scripts].map((src) => (
        <script type="module" src={src}></script>
      ))}
    </head>
    <body class={workspace && 'workspace'}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {workspace ? (
        <SideBar workspace={workspace} section={section} user={user} />
      ) : (
        <header class="site">
          <a class="brand" href={home}>
            <img src="/icon.svg" alt="" width="22" height="22" />
            Tributary
          </a>
          {user && <Account email={user.email} />}
        </header>
      )}
      {navigation}
      <main id="main" class={mainClass} tabindex={-1}>
        {children}
      </main>
    </body>
  </html>
)
