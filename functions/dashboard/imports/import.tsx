/** The import page. Its script is islands/import.ts. */

import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { holdsNewMails } from '../../../lib/mail/outbox/held-mails.queries.ts'
import type { LayoutProps } from '../../../lib/pages/layout/layout.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { listPrograms, type Program } from '../../../lib/programs/programs.queries.ts'
import { creditsStripeSales } from '../../../lib/purchases/stripe/setup.queries.ts'
import { snippetTag } from '../../../lib/tracking/clicks/snippet-version.ts'
import { SourceForm } from './import-source.tsx'

type Props = {
  workspace: string
  user: { id: string; email: string }
  programs: Pick<Program, 'id' | 'name' | 'siteUrl' | 'attributeKnownCustomers'>[]
  /** The origin of the snippet. */
  origin: string
  /** Whether sales that Stripe reports are credited to the partners of known customers. */
  creditsStripe: boolean
  /** Whether mails to new partners are held, because the workspace is new. */
  holdsMails?: boolean
}

/** The largest page of a list. A workspace with more programs sees the newest. */
const MAX_PROGRAMS = 200

export const IMPORT_PAGE = {
  title: m.layout_import,
  section: '/import',
  styles: ['/import.css'],
  scripts: ['/import.js'],
} satisfies Partial<Omit<LayoutProps, 'title'>> & { title: Message }

export const importRoutes = createRoutes<WorkspaceEnv>().get(
  '/app/:workspace/import',
  async (c) => {
    const { workspace, db } = c.var
    const [programs, holdsMails, creditsStripe] = await Promise.all([
      listPrograms(db, workspace.id, { limit: MAX_PROGRAMS }),
      holdsNewMails(db, workspace.id),
      creditsStripeSales(db, workspace.id),
    ])
    return renderPage(c, {
      ...IMPORT_PAGE,
      children: (
        <ImportPage
          workspace={workspace.slug}
          user={c.var.user}
          origin={new URL(c.req.url).origin}
          {...{ programs, holdsMails, creditsStripe }}
        />
      ),
    })
  },
)

export const ImportPage = (props: Props) => (
  <>
    <h1>{t(m.imports_title)}</h1>
    <p>{t(m.imports_page_intro, { link: linkTo(`/app/${props.workspace}/imports`) })}</p>
    {props.programs.length === 0 ? (
      <p class="note">
        {t(m.imports_no_programs, { link: linkTo(`/app/${props.workspace}/programs`) })}
      </p>
    ) : (
      <ImportForm {...props} />
    )}
  </>
)

const ImportForm = ({ workspace, user, programs, origin, holdsMails, creditsStripe }: Props) => (
  <div id="import" data-workspace={workspace} data-user={user.id} data-email={user.email}>
    <noscript>
      <p class="note">
        {t(m.imports_needs_script, { link: linkTo('/openapi.json'), workspace, code })}
      </p>
    </noscript>
    <p id="import-status" class="hidden" role="status" aria-live="polite"></p>
    <section id="import-sources" hidden></section>
    <section id="import-choose">
      <h2 tabindex={-1}>{t(m.imports_choose_file)}</h2>
      <form id="import-form">
        <p id="import-problem" class="problem" role="alert" hidden></p>
        <div class="field">
          <label for="import-program">{t(m.program)}</label>
          <select id="import-program" name="programId" required>
            {/* With several programs there is no default: importing into the wrong one is hard to undo. */}
            {programs.length > 1 && <option value="">{t(m.imports_choose_program)}</option>}
            {programs.map(({ id, name, siteUrl, attributeKnownCustomers }) => (
              <option
                value={id}
                data-site={siteUrl}
                data-tag={snippetTag(origin, id)}
                data-credits={String(creditsStripe || attributeKnownCustomers)}
              >
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field drop" id="import-drop">
          <label for="import-file">{t(m.layout_csv_file)}</label>
          <p class="hint" id="import-file-hint">
            {t(m.imports_file_hint)}
          </p>
          <input
            id="import-file"
            name="file"
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            aria-describedby="import-file-hint"
          />
        </div>
        <div class="field">
          <label for="import-text">{t(m.imports_paste)}</label>
          <textarea
            id="import-text"
            name="text"
            rows={4}
            spellcheck={false}
            autocomplete="off"
          ></textarea>
        </div>
        <fieldset>
          <legend>{t(m.imports_options)}</legend>
          <p class="option">
            <input
              type="checkbox"
              id="import-mails"
              name="sendWelcomeEmail"
              aria-describedby="import-mails-hint"
            />
            <label for="import-mails">{t(m.imports_send_moved)}</label>
            <span class="hint" id="import-mails-hint">
              {holdsMails
                ? t(m.imports_moved_hint_held, { why: t(m.mails_held_at_first) })
                : t(m.imports_moved_hint)}
            </span>
          </p>
          <p class="option">
            <input
              type="checkbox"
              id="import-balances"
              name="importOpeningBalances"
              aria-describedby="import-balances-hint"
            />
            <label for="import-balances">{t(m.imports_opening_balances)}</label>
            <span class="hint" id="import-balances-hint">
              {t(m.imports_balances_hint)}
            </span>
          </p>
        </fieldset>
        <p class="actions">
          {/* Disabled until the script that reads the file has loaded. */}
          <button type="submit" id="import-read" disabled>
            {t(m.imports_review)}
          </button>
        </p>
      </form>
      <SourceForm>
        {t(m.imports_source_intro, { link: linkTo(`/app/${workspace}/import/rewards`) })}
      </SourceForm>
    </section>
    <section id="import-stage"></section>
  </div>
)
