import type { User } from '../../lib/auth/session.ts'
import type { Program } from '../../lib/workspace/programs.queries.ts'
import { SourceForm } from './import-source.tsx'

type Props = { base: string; program: Program; workspace: string; user: User }

/** The page whose script uploads a file, or reads the other platform: islands/shadow.ts. */
export const UploadPage = ({ base, program, workspace, user }: Props) => (
  <>
    <p>
      <a href={`${base}/programs/${program.id}/shadow`}>Shadow run of {program.name}</a>
    </p>
    <h1>Commissions of the other platform</h1>
    <p>
      Choose an export of the other platform’s commissions, or read them by its API. Do it again whenever you
      want: what was there before is kept, and what has changed is compared again.
    </p>
    <noscript>
      <p class="problem">
        This page needs JavaScript. Without it, use POST /programs/{program.id}/shadow/commissions, or POST
        /import-sources with the purpose “shadow”.
      </p>
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
          <label for="shadow-file">CSV file</label>
          <input id="shadow-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
        </div>
        <SourceForm>
          Reads all commissions of the old platform. Commissions of a file whose rows have no ID are replaced
          by what is read.
        </SourceForm>
      </div>
      <div id="import-stage" />
    </div>
  </>
)
