/** The layout of every page: head, header or side bar, and main content. */

import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { mayOpen } from '../../auth/roles/roles.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../languages/languages.ts'
import * as m from '../../languages/messages.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { Account, type Section, SideBar } from './sidebar.tsx'
import { t } from './text.ts'

export type LayoutProps = {
  title: string
  language: Language
  /** The path of a page that exists in other languages. */
  path: string | undefined
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

/** A complete page. It loads only our own files: see the policy in lib/pages/layout/render.tsx. */
export const Layout = ({
  title,
  language,
  path,
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
  <html lang={language}>
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
        {t(m.skip_to_content)}
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
        {workspace?.deletesAt && (
          <DeletionNotice workspace={workspace} deletesAt={workspace.deletesAt} />
        )}
        {children}
      </main>
      {path !== undefined && <Languages current={language} path={path} />}
      {workspace && <PanelTemplate />}
    </body>
  </html>
)

type Deleted = { workspace: Workspace; deletesAt: Date }

/** Every page of a workspace shows that its deletion is scheduled. */
const DeletionNotice = ({ workspace, deletesAt }: Deleted) => (
  <p class="problem">
    {t(m.settings_deletion_notice, { day: deletesAt.toISOString().slice(0, 10) })}{' '}
    {mayOpen(workspace, 'GET /deletion') && (
      <a href={`/app/${workspace.slug}/deletion`}>{t(m.settings_review_deletion)}</a>
    )}
  </p>
)

/** The panel that islands/app/panel.ts opens beside a list. */
const PanelTemplate = () => (
  <template>
    <dialog class="panel">
      <p class="bar">
        <a href="#main">{t(m.layout_open_page)}</a>
        <button type="button" class="quiet">
          {t(m.layout_close)}
        </button>
      </p>
    </dialog>
  </template>
)

/** Opens the same page in another language. */
const Languages = ({ current, path }: { current: Language; path: string }) => (
  <footer>
    <form class="languages" method="post" action="/auth/language" aria-label={t(m.language)}>
      <input type="hidden" name="next" value={path} />
      {LANGUAGES.map((language) => (
        <button
          type="submit"
          class="link"
          name="language"
          value={language}
          lang={language}
          aria-current={language === current ? 'true' : undefined}
        >
          {LANGUAGE_NAMES[language]}
        </button>
      ))}
    </form>
  </footer>
)
