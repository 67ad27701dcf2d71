import type { User } from '../../../lib/auth/session.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import { SourceForm } from '../imports/import-source.tsx'

type Props = { base: string; program: Program; workspace: string; user: User }

/** The page whose script uploads a file, or reads the other platform: islands/shadow.ts. */
export const UploadPage = ({ base, program, workspace, user }: Props) => (
  <>
    <p>
      <a href={`${base}/programs/${program.id}/shadow`}>
        {t(m.shadow_run_of, { name: program.name })}
      </a>
    </p>
    <h1>{t(m.shadow_commissions_other_platform)}</h1>
    <p>{t(m.shadow_choose_export_other)}</p>
    <noscript>
      <p class="problem">{t(m.shadow_page_needs_javascript, { id: program.id })}</p>
    </noscript>
    <p id="import-status" class="hidden" role="status" />
    <div
      id="shadow-upload"
      data-user={user.id}
      data-email={user.email}
      data-workspace={workspace}
      data-program={program.id}
      data-url={`/api/workspaces/${workspace}/programs/${program.id}/shadow`}
      data-back={`${base}/programs/${program.id}/shadow`}
    >
      <section id="import-sources" hidden />
      <div id="import-choose">
        <div class="field">
          <label for="shadow-file">{t(m.layout_csv_file)}</label>
          <input id="shadow-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
        </div>
        <SourceForm>{t(m.shadow_reads_commissions_old)}</SourceForm>
      </div>
      <div id="import-stage" />
    </div>
  </>
)
