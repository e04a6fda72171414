// Creates the bucket of the gateways unless it exists. Runs in the image of the gateway, which has the S3 client.
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_REGION: region } = process.env;
const client = new S3Client({ endpoint, region, forcePathStyle: true });
try {
  await client.send(new HeadBucketCommand({ Bucket }));
  console.log(`The bucket ${Bucket} exists.`);
} catch (error) {
  if (error.$metadata?.httpStatusCode !== 404) throw error;
  await client.send(new CreateBucketCommand({ Bucket }));
  console.log(`The bucket ${Bucket} was created.`);
}
