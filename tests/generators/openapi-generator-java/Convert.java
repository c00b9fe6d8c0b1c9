// Converts a document with the client that openapi-generator makes: `Convert SOURCE_URL TARGET`. Prints the job's id.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.JobRequest;
import org.openapitools.client.model.JobStatus;
import org.openapitools.client.model.OfficeToPdfJob;
import org.openapitools.client.model.OfficeToPdfOptions;

public final class Convert {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("DOCMILL_URL"));
        String key = System.getenv("DOCMILL_LIVE_KEY");
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
        JobsApi jobs = new JobsApi(client);

        OfficeToPdfJob request = new OfficeToPdfJob()
                .toolSlug(OfficeToPdfJob.ToolSlugEnum.OFFICE_TO_PDF)
                .sourceUrl(arguments[0])
                .options(new OfficeToPdfOptions().pageRange("1"))
                .metadata(Map.of("client", "openapi-generator-java"));
        Job job = jobs.createJob(new JobRequest(request), null, null, null, null).getJob();
        while (job.getFinishedAt() == null) {
            job = jobs.getJob(job.getId(), null, 25).getJob();
        }
        if (job.getStatus() != JobStatus.COMPLETED) {
            throw new IllegalStateException("the job is " + job.getStatus());
        }
        URI link = jobs.getJobDownload(job.getId(), null).getDownload().getUrl();
        HttpClient.newHttpClient().send(HttpRequest.newBuilder(link).build(), BodyHandlers.ofFile(Path.of(arguments[1])));
        System.out.println(job.getId());
    }
}
