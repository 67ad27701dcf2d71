import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ApplicationResponse } from '../../lib/applications/applications.responses.ts'
import { ApplicationQuery, Approval, Rejection } from '../../lib/applications/applications.schemas.ts'
import { actWith, byWriter, get, list, remove, WORKSPACE } from '../operations.ts'

export const applications: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/applications`]: {
    get: list('List applications', ApplicationResponse, ApplicationQuery),
  },
  [`${WORKSPACE}/applications/{id}`]: {
    get: get('Get an application', ApplicationResponse),
    delete: byWriter(remove('Delete an application that is not approved', undefined, 'conflict')),
  },
  [`${WORKSPACE}/applications/{id}/approve`]: {
    post: byWriter({
      ...actWith('Approve an application: the person becomes a partner', Approval, ApplicationResponse),
      description: 'The new partner gets an email with the link.',
    }),
  },
  [`${WORKSPACE}/applications/{id}/reject`]: {
    post: byWriter(actWith('Reject an application', Rejection, ApplicationResponse)),
  },
}
