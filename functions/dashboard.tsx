import { listWorkspaces } from '../lib/data/workspaces.ts'
import { createApp } from '../lib/http/app.ts'
import { errorPage, renderPage, signedIn } from '../lib/pages/render.tsx'

/** The pages for managers and members, under /app. */
export default createApp()
  .onError(errorPage)
  .get('/app', signedIn(), async (c) => {
    const workspaces = await listWorkspaces(c.var.db, c.var.user.email)
    return renderPage(c, {
      title: 'Workspaces',
      children: (
        <>
          <h1>Your workspaces</h1>
          <ul>
            {workspaces.map(({ slug, name }) => (
              <li>
                <a href={`/app/${slug}`}>{name}</a>
              </li>
            ))}
          </ul>
        </>
      ),
    })
  })
