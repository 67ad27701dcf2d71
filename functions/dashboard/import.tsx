/** The import page. Its script is islands/import.ts. */

import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { holdsNewMails } from '../../lib/mail/held.queries.ts'
import { WHY_HELD } from '../../lib/mail/new-workspace-mails.ts'
import type { LayoutProps } from '../../lib/pages/layout.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { creditsStripeSales } from '../../lib/purchases/stripe/setup.queries.ts'
import { snippetTag } from '../../lib/tracking/snippet-version.ts'
import { listPrograms, type Program } from '../../lib/workspace/programs.queries.ts'
import { SourceForm } from './import-source.tsx'

type Props = {
  /** The workspace's slug. */
  workspace: string
  /** Who imports. */
  user: { id: string; email: string }
  programs: Pick<Program, 'id' | 'name' | 'siteUrl' | 'attributeKnownCustomers'>[]
  /** Where the snippet is loaded from. */
  origin: string
  /** Sales that Stripe reports are credited to the partners of known customers. */
  creditsStripe: boolean
  /** Mails to new partners are held: the workspace is new. */
  holdsMails?: boolean
}

/** The largest page of a list. A workspace with more programs sees the newest. */
const MAX_PROGRAMS = 200

/** The import page's title and section, and its own styles and scripts. */
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
    <h1>Import partners and customers</h1>
    <p>
      Upload a CSV export from Rewardful, FirstPromoter, Tolt, PartnerStack, Dub, Tapfiliate or another
      platform, or your own file; or read the old platform by its API. Links keep working when their slugs are
      kept. Nothing is imported until you have reviewed it.{' '}
      <a href={`/app/${props.workspace}/imports`}>Earlier imports</a>
    </p>
    {props.programs.length === 0 ? (
      <p class="note">
        This workspace has no programs yet. <a href={`/app/${props.workspace}/programs`}>Create a program</a>{' '}
        to import partners into.
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
        This page needs JavaScript to read the file in your browser. Without it, use the{' '}
        <a href="/openapi.json">API</a>: <code>POST /api/workspaces/{workspace}/partners/import</code> and{' '}
        <code>…/customers/import</code>, and to read another platform <code>…/import-sources</code>.
      </p>
    </noscript>
    <p id="import-status" class="hidden" role="status" aria-live="polite"></p>
    <section id="import-sources" hidden></section>
    <section id="import-choose">
      <h2 tabindex={-1}>Choose a file</h2>
      <form id="import-form">
        <p id="import-problem" class="problem" role="alert" hidden></p>
        <div class="field">
          <label for="import-program">Program</label>
          <select id="import-program" name="programId" required>
            {/* With several programs there is no default: importing into the wrong one is hard to undo. */}
            {programs.length > 1 && <option value="">Choose a program</option>}
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
          <label for="import-file">CSV file</label>
          <p class="hint" id="import-file-hint">
            Choose a file or drop it here. Separated by commas, semicolons or tabs, in UTF-8, UTF-16 or
            Windows encoding.
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
          <label for="import-text">Or paste CSV text</label>
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
            <label for="import-mails">Send new partners the “We’ve moved” email</label>
            <span class="hint" id="import-mails-hint">
              Contains their link and the portal’s URL.{' '}
              {holdsMails ? WHY_HELD : 'Sent as soon as a partner is imported.'}
            </span>
          </p>
          <p class="option">
            <input
              type="checkbox"
              id="import-balances"
              name="importOpeningBalances"
              aria-describedby="import-balances-hint"
            />
            <label for="import-balances">Import opening balances</label>
            <span class="hint" id="import-balances-hint">
              Balances that partners are still owed become payable immediately, in USD, and are paid by the
              next payout run.
            </span>
          </p>
        </fieldset>
        <p class="actions">
          {/* Disabled until the script that reads the file has loaded. */}
          <button type="submit" id="import-read" disabled>
            Review file
          </button>
        </p>
      </form>
      <SourceForm>
        Reads partners, links, coupons, customers and balances from the old platform, for the program above.
        Nothing is imported until you have reviewed it.
      </SourceForm>
    </section>
    <section id="import-stage"></section>
  </div>
)
