/** The page on which a manager moves partners and their customers over. islands/import.ts brings it to life. */

import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { LayoutProps } from '../../lib/pages/layout.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listPrograms } from '../../lib/workspace/programs.queries.ts'

type Props = {
  /** The workspace's slug. */
  workspace: string
  programs: { id: string; name: string }[]
}

/** As many as a list may have. Whoever has more imports into the newest. */
const MAX_PROGRAMS = 200

/** The import page's place, and what it loads beside what every page does. */
export const IMPORT_PAGE = {
  title: 'Import',
  section: '/import',
  styles: ['/import.css'],
  scripts: ['/import.js'],
} satisfies Partial<LayoutProps> & { title: string }

/** GET /app/:workspace/import */
export const importRoutes = createRoutes<WorkspaceEnv>().get(
  '/app/:workspace/import',
  managersOnly(),
  async (c) => {
    const { workspace, db } = c.var
    const programs = await listPrograms(db, workspace.id, { limit: MAX_PROGRAMS })
    return renderPage(c, {
      ...IMPORT_PAGE,
      children: <ImportPage workspace={workspace.slug} programs={programs} />,
    })
  },
)

export const ImportPage = ({ workspace, programs }: Props) => (
  <>
    <h1>Import partners and customers</h1>
    <p>
      Bring a CSV export of Rewardful, FirstPromoter, Tolt, PartnerStack, Dub or Tapfiliate, or one of your
      own. Links go on working where their slugs are kept. The file is read in your browser, and nothing is
      imported before you have seen what will happen.
    </p>
    {programs.length === 0 ? (
      <p class="note">
        Partners belong to a program, and this workspace has none yet.{' '}
        <a href={`/app/${workspace}/programs`}>Create a program</a> first.
      </p>
    ) : (
      <ImportForm workspace={workspace} programs={programs} />
    )}
  </>
)

const ImportForm = ({ workspace, programs }: Props) => (
  <div id="import" data-workspace={workspace}>
    <noscript>
      <p class="note">
        This page needs JavaScript, because the file is read in your browser. Without it, the{' '}
        <a href="/openapi.json">API</a> does the same:{' '}
        <code>POST /api/workspaces/{workspace}/partners/import</code>, and <code>…/customers/import</code>.
      </p>
    </noscript>
    <p id="import-status" class="hidden" role="status" aria-live="polite"></p>
    <section id="import-choose">
      <h2 tabindex={-1}>Choose a file</h2>
      <form id="import-form">
        <p id="import-problem" class="problem" role="alert" hidden></p>
        <div class="field">
          <label for="import-program">Program</label>
          <select id="import-program" name="programId" required>
            {/* One program needs no choice. Of several, a wrong one would be hard to undo. */}
            {programs.length > 1 && <option value="">Choose a program</option>}
            {programs.map(({ id, name }) => (
              <option value={id}>{name}</option>
            ))}
          </select>
        </div>
        <div class="field drop" id="import-drop">
          <label for="import-file">CSV file</label>
          <p class="hint" id="import-file-hint">
            Choose it, or drop it here. Separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows
            encoding.
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
          <label for="import-text">Or paste its text</label>
          <textarea id="import-text" name="text" rows={4} spellcheck={false} autocomplete="off"></textarea>
        </div>
        <fieldset>
          <legend>Options for new partners</legend>
          <p class="option">
            <input
              type="checkbox"
              id="import-mails"
              name="sendWelcomeEmail"
              aria-describedby="import-mails-hint"
            />
            <label for="import-mails">Send each new partner the “We’ve moved” mail</label>
            <span class="hint" id="import-mails-hint">
              With their link and the portal’s address. It goes out as soon as the partner is imported, and
              can’t be called back.
            </span>
          </p>
          <p class="option">
            <input
              type="checkbox"
              id="import-balances"
              name="importOpeningBalances"
              aria-describedby="import-balances-hint"
            />
            <label for="import-balances">Pay out opening balances</label>
            <span class="hint" id="import-balances-hint">
              What the file says that a partner is still owed becomes payable at once, in USD, and goes out
              with the next payout run.
            </span>
          </p>
        </fieldset>
        <p class="actions">
          {/* Until the script is there, which reads the file, there is nothing that could be sent. */}
          <button type="submit" id="import-read" disabled>
            Read the file
          </button>
        </p>
      </form>
    </section>
    <section id="import-stage"></section>
  </div>
)
