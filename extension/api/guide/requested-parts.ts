import { familyOf, materialNames } from '../../../manifests/reader/catalog';
import type { Manifest } from '../../../manifests/reader/manifest';
import { featureError } from '../../language/errors/feature-error';
import { queryError } from '../../language/errors/query-error';
import { nearest } from '../../language/names/nearest';
import { type Contract, isEnabled } from '../../language/types/contract';
import { GUIDE_PARTS, type GuidePart, type RequestedParts } from './guide';

const FEATURE = 'guide_parts';
const PARTS = Object.keys(GUIDE_PARTS);
const isPart = (name: string): name is GuidePart => PARTS.includes(name);

/**
 * Reads `parts` and `material`, both comma-separated; undefined means the whole guide. Naming a material also requests the
 * `materials` part. Throws the QueryErrors E_INVALID_PARAMETER and E_UNKNOWN_MATERIAL, or the error for a feature that is off.
 */
export function requestedParts(
  { parts, material }: { readonly parts: string | undefined; readonly material: string | undefined },
  contract: Contract,
  manifest: Manifest,
): RequestedParts | undefined {
  if (parts === undefined && material === undefined) return undefined;
  if (!isEnabled(contract, FEATURE))
    throw featureError(contract, FEATURE, parts === undefined ? 'material' : 'parts');
  const named = (parts === undefined ? [] : listed(parts)).map(knownPart);
  if (material === undefined) return { parts: new Set(named), materials: undefined };
  const available = materialNames(manifest, contract.rules);
  return {
    parts: new Set([...named, 'materials']),
    materials: new Set(listed(material).map((name) => describedAs(name, available, contract, manifest))),
  };
}

/** No part or material has a longer name. Received names are cut to this length because errors repeat them. */
const MAX_NAME_LENGTH = 200;

const listed = (text: string): readonly string[] =>
  text.split(',').map((name) => name.trim().slice(0, MAX_NAME_LENGTH));

function knownPart(name: string): GuidePart {
  if (isPart(name)) return name;
  throw queryError('E_INVALID_PARAMETER parts', 'parts', {
    received: name,
    available: PARTS,
    nearest: nearest(name, PARTS),
  });
}

/** The name under which the guide describes a material: a goal or event is described under its family. */
function describedAs(
  name: string,
  available: readonly string[],
  { rules }: Contract,
  manifest: Manifest,
): string {
  if (available.includes(name)) return name;
  const per = /^goal_\d+$/.test(name) ? 'goal' : name.startsWith('events.') ? 'event' : undefined;
  const family = per && familyOf(manifest, rules, per);
  if (family !== undefined) return family.name;
  throw queryError('E_UNKNOWN_MATERIAL unknown', 'material', {
    received: name,
    available,
    nearest: nearest(name, available),
  });
}

const ALWAYS: readonly string[] = ['version', 'api_update', 'timestamp', 'plugin_version'];

export function pickParts(body: object, { parts }: RequestedParts): object {
  const keys: readonly string[] = [...ALWAYS, ...[...parts].flatMap((part) => GUIDE_PARTS[part])];
  return Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key)));
}
