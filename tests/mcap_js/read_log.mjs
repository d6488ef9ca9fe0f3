// Reads the logs of mcap_sample with @mcap/core, the library behind Foxglove: by index, and as a stream.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";

const require = createRequire(import.meta.url);
const publicSchemas = require("@foxglove/schemas/jsonschema");
const { generateProto, foxgloveMessageSchemas } = require("@foxglove/schemas/internal");
const folder = process.argv[2];
const decompressHandlers = {
  zstd: (data, size) => decompress(data, new Uint8Array(Number(size))),
};
const kSteps = 1000;
const kStep = 10_000_000n; // ns
const json = (message) => JSON.parse(new TextDecoder().decode(message.data));

async function openIndexed(name) {
  const file = await open(join(folder, name), "r");
  const readable = {
    size: async () => BigInt((await file.stat()).size),
    read: async (offset, length) => {
      const buffer = new Uint8Array(Number(length));
      await file.read(buffer, 0, buffer.length, Number(offset));
      return buffer;
    },
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  return { reader, close: () => file.close() };
}

async function collect(iterator) {
  const all = [];
  for await (const item of iterator) all.push(item);
  return all;
}

/** All records of a file, given to the stream reader in pieces of odd size. */
async function readStream(name) {
  const bytes = await readFile(join(folder, name));
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const records = [];
  for (let at = 0; at < bytes.length; at += 777) {
    reader.append(bytes.subarray(at, at + 777));
    for (let record; (record = reader.nextRecord()); ) records.push(record);
  }
  return { records, done: reader.done() };
}

/** A schema without what is said for people only. */
function bare(schema) {
  if (Array.isArray(schema)) return schema.map(bare);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== "$comment" && !(key === "description" && typeof value === "string"),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

/** What the public definition says of the poses, compiled from its own .proto texts. */
function publicPoseTypes() {
  const types = new protobuf.Root();
  types.addJSON(protobuf.common.get("google/protobuf/timestamp.proto").nested);
  const images = ["RawImage", "CompressedImage", "CameraCalibration"];
  for (const name of ["Vector3", "Quaternion", "FrameTransform", "FrameTransforms", ...images]) {
    protobuf.parse(generateProto(foxgloveMessageSchemas[name], []), types, { keepCase: true });
  }
  return types;
}

/** [number, name, type, repeated] of every field of a type and of those inside it. */
function fieldsOf(type) {
  return type.fieldsArray.map((f) => {
    f.resolve();
    return [f.id, f.name, f.resolvedType ? fieldsOf(f.resolvedType) : f.type, f.repeated];
  });
}

/** The type by the descriptors in the log, as Foxglove finds it. */
const typeInLog = (schema) => protobuf.Root.fromDescriptor(schema.data).lookupType(schema.name);

const FrameTransforms = publicPoseTypes().lookupType("foxglove.FrameTransforms");

function checkPose(message, i) {
  assert.equal(message.logTime, BigInt(i) * kStep);
  assert.equal(message.publishTime, message.logTime);
  const [base, ball] = FrameTransforms.toObject(FrameTransforms.decode(message.data), { longs: Number, defaults: true }).transforms;
  assert.deepEqual(base.timestamp, { seconds: Math.floor(i / 100), nanos: (i % 100) * 10_000_000 });
  assert.equal(base.parent_frame_id, "world");
  assert.equal(base.child_frame_id, "blue1.base");
  assert.deepEqual(base.translation, { x: i / 7, y: -0.5, z: 1e-9 * i }); // the same doubles, to the last bit
  assert.deepEqual(base.rotation, { w: 0.5, x: 0.5, y: -0.5, z: 0.5 });
  assert.equal(ball.child_frame_id, 'ball "β"');
}

async function checkDeclarations(reader) {
  assert.equal(reader.header.library, "gradus");
  const schemas = Object.fromEntries([...reader.schemasById.values()].map((s) => [s.name, s]));
  assert.deepEqual(Object.keys(schemas), ["foxglove.FrameTransforms", "foxglove.SceneUpdate"]);
  const scene = schemas["foxglove.SceneUpdate"], poses = schemas["foxglove.FrameTransforms"];
  assert.deepEqual([scene.encoding, poses.encoding], ["jsonschema", "protobuf"]);
  assert.deepEqual(bare(JSON.parse(new TextDecoder().decode(scene.data))), bare(publicSchemas.SceneUpdate));
  assert.deepEqual(fieldsOf(typeInLog(poses)), fieldsOf(FrameTransforms));
  const channels = [...reader.channelsById.values()];
  assert.deepEqual(channels.map((c) => c.topic), ["scene", "poses", "hash"]);
  assert.deepEqual(channels.map((c) => c.messageEncoding), ["json", "protobuf", "json"]);
  assert.equal(channels[0].schemaId, scene.id);
  assert.equal(channels[1].schemaId, poses.id);
  assert.equal(channels[2].schemaId, 0);
  assert.deepEqual(channels[1].metadata, new Map([["frame", "world"]]));

  const metadata = await collect(reader.readMetadata());
  assert.deepEqual(metadata.map((m) => [m.name, Object.fromEntries(m.metadata)]), [
    ["run", { scene: "levels.toml", seed: "7" }],
  ]);
  const attachments = await collect(reader.readAttachments({ validateCrcs: true }));
  assert.deepEqual(attachments.map((a) => [a.name, a.mediaType]), [["scene.toml", "application/toml"]]);
  assert.equal(new TextDecoder().decode(attachments[0].data), '[world]\nstep = "1 ms"\n');
}

async function checkMessages(reader, steps) {
  const poses = await collect(reader.readMessages({ topics: ["poses"], validateCrcs: true }));
  assert.equal(poses.length, steps);
  poses.forEach(checkPose);
  assert.deepEqual(poses.map((m) => m.sequence), [...poses.keys()]);

  const hashes = await collect(reader.readMessages({ topics: ["hash"] }));
  hashes.forEach((m, i) => assert.deepEqual(json(m), { step: 10 * i, hash: "00ff" }));
  assert.equal(hashes.length, Math.ceil(steps / 10));

  const [scene, ...others] = await collect(reader.readMessages({ topics: ["scene"] }));
  assert.equal(others.length, 0);
  const [entity] = json(scene).entities;
  assert.equal(entity.frame_id, "blue1.base");
  assert.deepEqual(entity.cubes[0].size, { x: 0.1, y: 0.2, z: 0.3 });
  assert.deepEqual([entity.spheres, entity.cylinders, entity.triangles].map((x) => x.length), [1, 1, 1]);
  return poses.length + hashes.length + 1;
}

async function wholeByIndex() {
  const { reader, close } = await openIndexed("whole.mcap");
  await checkDeclarations(reader);
  const count = await checkMessages(reader, kSteps);
  assert.equal(reader.statistics.messageCount, BigInt(count));
  assert.equal(reader.statistics.chunkCount, reader.chunkIndexes.length);
  assert.ok(reader.chunkIndexes.length > 10, "many chunks");
  assert.equal(reader.statistics.messageStartTime, 0n);
  assert.equal(reader.statistics.messageEndTime, BigInt(kSteps - 1) * kStep);
  assert.deepEqual(Object.fromEntries(reader.statistics.channelMessageCounts), { 1: 1n, 2: 1000n, 3: 100n });

  // One second out of the middle, through the indexes alone.
  const part = await collect(reader.readMessages({ topics: ["poses"], startTime: 300n * kStep, endTime: 399n * kStep }));
  assert.equal(part.length, 100);
  part.forEach((m, i) => checkPose(m, 300 + i));
  await close();
  return count;
}

async function wholeAsStream(expectedCount) {
  const { records, done } = await readStream("whole.mcap");
  assert.ok(done, "the stream ends properly");
  const ofType = (type) => records.filter((r) => r.type === type);
  assert.equal(ofType("Message").length, expectedCount);
  const topicOf = new Map(ofType("Channel").map((c) => [c.id, c.topic]));
  ofType("Message").filter((m) => topicOf.get(m.channelId) === "poses").forEach(checkPose);
  for (const type of ["Header", "DataEnd", "Statistics", "Attachment", "AttachmentIndex", "Metadata", "MetadataIndex", "Footer"]) {
    assert.equal(ofType(type).length, 1, type);
  }
  assert.equal(ofType("SummaryOffset").length, 6);
  const times = ofType("Message").map((m) => m.logTime);
  assert.ok(times.every((t, i) => i === 0 || t >= times[i - 1]), "in order of time");
}

async function endedByFullDisk() {
  const { reader, close } = await openIndexed("full.mcap");
  await checkDeclarations(reader);
  const steps = (await collect(reader.readMessages({ topics: ["poses"] }))).length;
  assert.ok(steps > 100 && steps < kSteps, `${steps} steps fitted`);
  assert.equal(reader.statistics.messageCount, BigInt(await checkMessages(reader, steps)));
  await close();
}

async function cutOff() {
  const { records, done } = await readStream("cut.mcap");
  assert.ok(!done);
  const messages = records.filter((r) => r.type === "Message");
  assert.ok(messages.length > 300, `${messages.length} messages are left`);
  await assert.rejects(openIndexed("cut.mcap"));
}

/** Images: the descriptors in the log are those of the public definitions, and the messages say what was written. */
async function images() {
  const { reader, close } = await openIndexed("images.mcap");
  const types = publicPoseTypes();
  const read = {};
  for await (const m of reader.readMessages()) {
    const channel = reader.channelsById.get(m.channelId);
    const schema = reader.schemasById.get(channel.schemaId);
    const type = types.lookupType(schema.name);
    assert.deepEqual(fieldsOf(typeInLog(schema)).sort(), fieldsOf(type).sort(), schema.name);
    read[channel.topic] = type.toObject(type.decode(m.data), { longs: Number, arrays: true, bytes: Array });
  }
  await close();
  const data = [1, 2, 3, 4, 5, 6, 7, 8];
  const stamp = { seconds: 0, nanos: 10_000_000 };
  const { timestamp, ...raw } = read.raw;
  assert.deepEqual(timestamp.nanos, stamp.nanos);
  assert.deepEqual(raw, { width: 2, height: 2, encoding: "yuyv", step: 4, data, frame_id: "blue1.camera_top" });
  assert.deepEqual([read.compressed.data, read.compressed.format], [data, "jpeg"]);
  const c = read.calibration;
  assert.deepEqual([c.width, c.height, c.distortion_model, c.frame_id], [640, 480, "plumb_bob", "blue1.camera_top"]);
  assert.deepEqual(c.D, [-0.28, 0.09, 0.0008, -0.0005, -0.012]);
  assert.deepEqual(c.K, [600, 0, 320, 0, 601, 240, 0, 0, 1]);
  assert.equal(c.P.length, 12);
  assert.equal(c.R.length, 9);
}

await images();
const count = await wholeByIndex();
await wholeAsStream(count);
await endedByFullDisk();
await cutOff();
console.log(`@mcap/core read ${count} messages by index and as a stream, and what is left of a full and a cut log`);
